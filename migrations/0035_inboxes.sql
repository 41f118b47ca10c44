-- True while the network may have a callback address of this inbox. When webhook_url is cleared, the network has to forget it.
alter table inboxes add column callback_told boolean not null default false;
-- Row-level security also applies to the owner of the tables, so the update runs as the system role, which sees every company.
set local role parley_system;
update inboxes set callback_told = true where webhook_url is not null;
