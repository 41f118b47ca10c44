-- Reads the tables while they are in use.
alter table deliveries validate constraint deliveries_before;
alter table audit_log validate constraint audit_log_before;
