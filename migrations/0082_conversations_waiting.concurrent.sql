-- The orders of the list: the longest waiting first, and the most urgent first. Few conversations wait.
create index concurrently if not exists conversation_activity_waiting on conversation_activity (company_id, awaited_at, record_id)
  where awaited_at is not null;
create index concurrently if not exists conversations_priority on conversations (company_id, priority desc, _id desc);
