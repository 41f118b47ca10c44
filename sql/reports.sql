-- Returns the class of a duration in seconds: eight classes for each doubling, so that a median is wrong by a tenth at most.
create or replace function report_bucket(seconds bigint) returns integer
language sql immutable parallel safe
return floor(8 * ln(1 + greatest(seconds, 0)::double precision) / ln(2::double precision))::integer;

create or replace function note_opened_conversations() returns trigger language plpgsql as $$
begin
  insert into report_facts (company_id, kind, inbox_id, team_id, campaign_id, tags)
    select company_id, 'OPENED', inbox_id, team_id, campaign_id, tags from added where status <> 'CLOSED' and not is_test;
  return null;
end
$$;
create or replace trigger reported_opened after insert on conversations
  referencing new table as added for each statement execute function note_opened_conversations();

-- Open conversations that are deleted leave the backlog. One that is merged stays in it as the other one.
create or replace function note_gone_conversations() returns trigger language plpgsql as $$
begin
  if is_merging() then return null; end if;
  insert into report_facts (company_id, kind, inbox_id, team_id, campaign_id, tags)
    select company_id, 'GONE', inbox_id, team_id, campaign_id, tags from gone where status <> 'CLOSED' and not is_test;
  return null;
end
$$;
create or replace trigger reported_gone after delete on conversations
  referencing old table as gone for each statement execute function note_gone_conversations();

-- A reply ends a wait. The next wait may begin in the same statement, later than the one before; a merge of contacts only moves it back.
create or replace function is_replied(waited timestamp with time zone, waits timestamp with time zone) returns boolean
language sql immutable parallel safe
return waited is not null and (waits is null or waits > waited);

create or replace function time_conversation() returns trigger language plpgsql as $$
begin
  -- A merge brings the times of the conversation that was open.
  if is_merging() then return new; end if;
  if old.status = 'CLOSED' then
    new.opened_at := now();
    new.first_reply_at := null;
  else
    new.first_reply_at := now();
  end if;
  return new;
end
$$;
create or replace trigger reported_times before update of status, waiting_since on conversations
  for each row when (new.status <> 'CLOSED'
    and (old.status = 'CLOSED' or old.first_reply_at is null and is_replied(old.waiting_since, new.waiting_since)))
  execute function time_conversation();

-- A reply counts for who wrote it: a user or an agent. A conversation that is closed counts for the agent that handles it, else for its owner,
-- else for the user who closes it.
create or replace function note_conversation_change() returns trigger
language plpgsql set search_path from current as $$
declare
  actor jsonb := current_actor();
  actor_user constant text := case when actor ->> 'type' = 'USER' then actor ->> 'id' end;
  is_closed constant boolean := new.status = 'CLOSED';
  waited constant bigint := extract(epoch from least(now(), new.waiting_since) - old.waiting_since);
begin
  if is_merging() then return null; end if;
  if is_closed <> (old.status = 'CLOSED') then
    insert into report_facts (company_id, kind, total, inbox_id, team_id, user_id, agent_id, campaign_id, tags)
      values (new.company_id, case when is_closed then 'CLOSED' else 'REOPENED' end,
        case when is_closed then greatest(0, extract(epoch from now() - coalesce(old.opened_at, old.created_at))) else 0 end,
        new.inbox_id, new.team_id,
        case when is_closed and new.handled_by <> 'AI' then coalesce(old.owner_id, actor_user) end,
        case when is_closed and new.handled_by = 'AI' then new.agent_id end, new.campaign_id, new.tags);
  end if;
  if not is_closed and is_replied(old.waiting_since, new.waiting_since) then
    insert into report_facts (company_id, kind, total, inbox_id, team_id, user_id, agent_id, campaign_id, tags)
      select new.company_id, kind, greatest(0, waited), new.inbox_id, new.team_id, actor_user,
        case when actor ->> 'type' = 'AGENT' then actor ->> 'id' end, new.campaign_id, new.tags
      from unnest(case when old.first_reply_at is null then '{REPLIED,FIRST_REPLY}' else '{REPLIED}' end::text[]) kind;
  end if;
  return null;
end
$$;
create or replace trigger reported_change after update of status, waiting_since on conversations
  for each row when (not new.is_test and ((old.status = 'CLOSED') <> (new.status = 'CLOSED')
    or new.status <> 'CLOSED' and is_replied(old.waiting_since, new.waiting_since)))
  execute function note_conversation_change();

create or replace function note_agent_turn() returns trigger language plpgsql as $$
begin
  insert into report_facts (company_id, at, kind, count, total, currency, inbox_id, team_id, agent_id, campaign_id, tags)
    select v.company_id, new.created_at, f.kind, f.count, f.total, f.currency, v.inbox_id, f.team_id, new.agent_id, f.campaign_id, f.tags
    from conversations v
    cross join lateral (
      select case new.outcome when 'HANDED_OVER' then 'HANDED_OVER' else 'ANSWERED' end as kind, 1 as count, 0 as total, '' as currency,
        v.team_id, v.campaign_id, v.tags
      -- The team, the campaign and the tags may be others than those for which the answer was counted, so they keep it.
      union all select 'ANSWERED', -1, 0, '', null, null, '{}' where tg_op = 'UPDATE'
      union all select 'COST', 1, round(1e6 * (new.cost ->> 'amount')::numeric), new.cost ->> 'currency', v.team_id, v.campaign_id, v.tags
        where tg_op = 'INSERT' and new.cost ->> 'currency' is not null
    ) f
    where v.company_id = new.company_id and v._id = new.conversation_id and not v.is_test;
  return null;
end
$$;
create or replace trigger reported_turn after insert on agent_turns for each row execute function note_agent_turn();
-- The network may refuse an answer after its turn was stored, and a person takes over.
create or replace trigger reported_outcome after update of outcome on agent_turns
  for each row when (old.outcome = 'ANSWERED' and new.outcome = 'HANDED_OVER') execute function note_agent_turn();

-- A missed target counts for the owner, the team and the tags of that moment. Targets that were missed before a merge are counted already.
create or replace function note_missed_targets() returns trigger language plpgsql as $$
begin
  if is_merging() then return null; end if;
  insert into report_facts (company_id, at, kind, inbox_id, team_id, user_id, campaign_id, tags)
    select v.company_id, now(), 'SLA_MISSED', v.inbox_id, v.team_id, v.owner_id, v.campaign_id, v.tags
    from (select company_id, conversation_id, breached_at from written where breached_at is not null
        except select company_id, conversation_id, breached_at from earlier) m
      join conversations v on v.company_id = m.company_id and v._id = m.conversation_id
    where not v.is_test;
  return null;
end
$$;
create or replace trigger reported_miss after update on conversation_slas referencing old table as earlier new table as written
  for each statement execute function note_missed_targets();
