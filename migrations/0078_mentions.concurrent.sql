-- Few messages are notes with mentions, so the index is small, and storing other messages does not write it.
create index concurrently if not exists messages_mentions on messages using gin (company_id, mentions) where mentions <> '{}';
