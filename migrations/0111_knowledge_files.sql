-- The file from which an item was made. A foreign key keeps it from being removed while the item is there.
set local lock_timeout = '2s';
alter table knowledge_items
  add column attachment_id text collate "C",
  add constraint knowledge_items_attachment_ref foreign key (company_id, attachment_id) references attachments not valid;
