-- The files exchanged with a contact, the newest first. Few messages have a file, and storing others does not write the index.
create index concurrently if not exists messages_files on messages (company_id, contact_id, created_at desc, _id desc)
  where attachment_id is not null;
