-- The keys are in message_keys.
drop index concurrently if exists messages_external_key;
