-- The counts of the open conversations are read from this index alone. Each column of it is in another index already, so a message, which
-- changes none of them, still writes no index of the conversation.
create index concurrently if not exists conversations_open on conversations (company_id, created_at desc, _id desc)
  include (status, owner_id, inbox_id, step_id) where status <> 'CLOSED';
-- The order of the list for conversations without an owner; conversations_owner has all others.
create index concurrently if not exists conversations_unassigned on conversations (company_id, created_at desc, _id desc)
  where owner_id is null;
