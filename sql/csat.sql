-- A trigger notes whom to ask, so no code that closes conversations can forget it: contacts who have written within a week, were answered, and
-- were not asked within a week. The answer counts for whom the close counts in reports.
create or replace function leave_csat_survey() returns trigger language plpgsql as $$
declare
  actor jsonb := current_actor();
  is_agents constant boolean := new.handled_by = 'AI';
begin
  insert into csat_surveys (company_id, _id, conversation_id, inbox_id, question, user_id, agent_id, team_id)
    select new.company_id, new_id(), new._id, new.inbox_id, i.csat_question,
      case when not is_agents then coalesce(old.owner_id, case when actor ->> 'type' = 'USER' then actor ->> 'id' end) end,
      case when is_agents then new.agent_id end, new.team_id
    from inboxes i where i.company_id = new.company_id and i._id = new.inbox_id and i.csat_question is not null and not exists (
      select from conversations v join csat_surveys s on s.company_id = v.company_id and s.conversation_id = v._id
        where v.company_id = new.company_id and v.contact_id = new.contact_id and s.created_at > now() - interval '7 days'
          and (s.message_id is not null or s.ended_at is null));
  return null;
end
$$;
create or replace trigger asks_csat after update of status on conversations for each row
  when (new.status = 'CLOSED' and old.status <> 'CLOSED' and old.first_reply_at is not null and new.last_inbound_at > now() - interval '7 days')
  execute function leave_csat_survey();

create or replace function note_csat() returns trigger language plpgsql set search_path from current as $$
begin
  insert into report_facts (company_id, kind, total, inbox_id, team_id, user_id, agent_id, campaign_id, tags)
    select new.company_id, f.kind, f.total, new.inbox_id, new.team_id, new.user_id, new.agent_id, v.campaign_id, v.tags
    from conversations v
    cross join lateral (
      select 'CSAT_SENT' as kind, 0 as total where old.message_id is null and new.message_id is not null
      union all select 'CSAT_RATED', new.score where old.score is null and new.score is not null
      union all select 'CSAT_SATISFIED', 0 where old.score is null and new.score >= 4
    ) f
    where v.company_id = new.company_id and v._id = new.conversation_id and not v.is_test;
  return null;
end
$$;
create or replace trigger reported_csat after update of message_id, score on csat_surveys for each row execute function note_csat();

create or replace trigger noted_update after update of message_id, score on csat_surveys for each row execute function note_change('csat_surveys');
