-- A removed attachment looks for the messages that name it.
create index concurrently if not exists messages_attachment on messages (company_id, attachment_id) where attachment_id is not null;
alter table messages validate constraint messages_attachment_ref;
