-- A partition for thirty days; 0057_platform_partitions.sql says how.
call partition_table('audit_log');
call tenant_table('audit_log');
revoke update, delete on audit_log from parley_app;
revoke update on audit_log from parley_system;
alter table audit_log replica identity full;
alter table audit_log_rest replica identity full;
select make_partitions('audit_log', 30, 3);
