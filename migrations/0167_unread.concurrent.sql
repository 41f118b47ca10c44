create index concurrently if not exists conversation_activity_unread on conversation_activity (company_id, owner_id) where is_unread;
