-- A network number belongs to the one ACTIVE inbox whose credentials the network has accepted; this index makes sure of it.
create unique index concurrently if not exists inboxes_owned_address_key on inboxes (channel, network_address)
  where status = 'ACTIVE' and accepted_at is not null;
-- Any number of other inboxes may have the same number. They are found when the network accepts the credentials of one of them.
create index concurrently if not exists inboxes_address on inboxes (channel, network_address) where status = 'ACTIVE';
drop index concurrently if exists inboxes_network_address_key;
