-- Only ACTIVE inboxes need different names.
create unique index concurrently if not exists inboxes_door_name_key on inboxes (company_id, door_name) where status = 'ACTIVE';
