-- The conversations that a team gives to its members, in the order in which it gives them: the condition is that of waits_for_member.
create index concurrently if not exists conversations_given_out on conversations (company_id, team_id, waiting_since, _id)
  where team_id is not null and owner_id is null and status = 'OPEN' and handled_by <> 'AI' and last_inbound_at is not null and not awaits_reply;
drop index concurrently if exists conversations_unowned;
-- The turns of each company, of which a few are taken in turn, and the latest of a team.
create index concurrently if not exists team_turns_queue on team_turns (company_id, due_at);
create index concurrently if not exists team_turns_latest on team_turns (company_id, team_id, due_at);
drop index concurrently if exists team_turns_team;
