-- An index in the list's order for each filter of conversations that had none. The table is in use, so each is built concurrently. People
-- look all day at an owner's own conversations by status. Most conversations have no tag.

create index concurrently if not exists conversations_status on conversations (company_id, status, created_at desc, _id desc);
create index concurrently if not exists conversations_inbox on conversations (company_id, inbox_id, created_at desc, _id desc);
create index concurrently if not exists conversations_owner_status on conversations (company_id, owner_id, status, created_at desc, _id desc)
  where owner_id is not null;
create index concurrently if not exists conversations_handled_by on conversations (company_id, handled_by, created_at desc, _id desc);
create index concurrently if not exists conversations_agent on conversations (company_id, agent_id, created_at desc, _id desc)
  where agent_id is not null;
create index concurrently if not exists conversations_tags on conversations using gin (company_id, tags) where tags <> '{}';
alter table pipeline_steps validate constraint pipeline_steps_replacement;
