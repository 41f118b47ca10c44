-- The counts of the queues are read from the first index alone. awaits_reply changes once in the life of a conversation, so a message still
-- writes no index of it. The second one has the unassigned queue without the people of campaigns, who may be many times as many.
create index concurrently if not exists conversations_queues on conversations (company_id, created_at desc, _id desc)
  include (status, owner_id, inbox_id, step_id, awaits_reply) where status <> 'CLOSED';
create index concurrently if not exists conversations_waiting on conversations (company_id, created_at desc, _id desc)
  where owner_id is null and status <> 'CLOSED' and not awaits_reply;
drop index concurrently if exists conversations_open;
