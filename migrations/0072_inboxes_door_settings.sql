-- What clients of Evolution API have set for an instance, which they read again.
alter table inboxes add column door_settings jsonb;
