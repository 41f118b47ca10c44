alter table conversations validate constraint conversations_team_ref;
alter table inboxes validate constraint inboxes_default_team_ref;
create index concurrently if not exists inboxes_team on inboxes (company_id, default_team) where default_team is not null;
create index concurrently if not exists conversations_team on conversations (company_id, team_id, created_at desc, _id desc)
  where team_id is not null;
-- Those that a team gives to its members.
create index concurrently if not exists conversations_unowned on conversations (company_id, team_id, _id)
  where team_id is not null and owner_id is null and status <> 'CLOSED';
-- As conversations_queues, with the team.
create index concurrently if not exists conversations_counts on conversations (company_id, created_at desc, _id desc)
  include (status, owner_id, inbox_id, step_id, awaits_reply, team_id) where status <> 'CLOSED';
drop index concurrently if exists conversations_queues;
