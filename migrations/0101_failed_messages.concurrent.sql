-- Whether a message to a contact has failed within the last day: after some failures the network wants no other one. The index on the sends of
-- campaigns knew their messages alone.
create index concurrently if not exists messages_failed on messages (company_id, contact_id, failed_at) where failed_at is not null;
drop index concurrently if exists campaign_sends_failed;
