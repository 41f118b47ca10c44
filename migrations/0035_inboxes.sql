-- True while the network may hold an address of the inbox's own: when webhook_url is cleared, the network has to forget it.
alter table inboxes add column callback_told boolean not null default false;
-- Row security binds the owner of the table, too: the system's role sees every company.
set local role parley_system;
update inboxes set callback_told = true where webhook_url is not null;
