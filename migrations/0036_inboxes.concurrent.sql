-- A network number belongs to the one ACTIVE inbox whose credentials the network has accepted; the database decides.
create unique index concurrently if not exists inboxes_owned_address_key on inboxes (channel, network_address)
  where status = 'ACTIVE' and accepted_at is not null;
-- Any number of others may stand beside it: they are found when one of them proves itself.
create index concurrently if not exists inboxes_address on inboxes (channel, network_address) where status = 'ACTIVE';
drop index concurrently if exists inboxes_network_address_key;
