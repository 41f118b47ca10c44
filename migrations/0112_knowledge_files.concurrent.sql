-- A removed attachment looks for the items that need it.
create index concurrently if not exists knowledge_items_attachment on knowledge_items (company_id, attachment_id) where attachment_id is not null;
alter table knowledge_items validate constraint knowledge_items_attachment_ref;
