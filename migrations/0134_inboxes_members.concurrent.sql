create index concurrently if not exists inboxes_with_members on inboxes (company_id) where members is not null;
