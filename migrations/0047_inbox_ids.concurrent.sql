-- A network calls an inbox by the inbox's id alone, without its company.
create index concurrently if not exists inboxes_id on inboxes (_id);
