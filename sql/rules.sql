create or replace trigger inserted after insert on macros referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on macros referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on macros for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();

create or replace trigger inserted after insert on rules referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on rules referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on rules for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();

create or replace trigger inserted after insert on rule_runs referencing new table as written
  for each statement execute function count_inserted_unbounded();
create or replace trigger deleted after delete on rule_runs referencing old table as gone
  for each statement execute function count_deleted();

-- Whether a rule of the company waits for such events. What stores messages of contacts asks it.
create or replace function has_rule(company text, awaited text) returns boolean language sql stable as $$
  select exists (select from rules where company_id = company and event = awaited and is_active)
$$;

-- Triggers leave what happens in conversations for the rules that wait for it, so no code can forget it. What a rule itself does starts no rule.
create or replace function leave_rule_events(happened text, companies text[], ids text[]) returns void language sql as $$
  insert into rule_events (company_id, _id, event, conversation_id)
    select c.company_id, new_id(), happened, c._id from unnest(companies, ids) as c (company_id, _id)
    where has_rule(c.company_id, happened)
$$;

-- Conversations that show a message already are opened by campaigns and bulk sends: no contact has written yet.
create or replace function leave_opened_for_rules() returns trigger language plpgsql as $$
begin
  if current_actor() ->> 'type' = 'RULE' or not exists (select from rules where is_active and company_id in (select company_id from changed)) then
    return null;
  end if;
  perform leave_rule_events('CONVERSATION_OPENED', array_agg(company_id), array_agg(_id)) from changed
    where status <> 'CLOSED' and last_message_id is null;
  perform leave_rule_events('CONVERSATION_ASSIGNED', array_agg(company_id), array_agg(_id)) from changed
    where status <> 'CLOSED' and (owner_id is not null or team_id is not null) and last_message_id is null;
  return null;
end
$$;
create or replace trigger left_for_rules after insert on conversations referencing new table as changed
  for each statement execute function leave_opened_for_rules();

-- A bulk send that reopens conversations shows its message in them at once. However many rows there are, these read each of them once; the plan of a join could be that for few rows.
create or replace function leave_changed_for_rules() returns trigger language plpgsql as $$
declare
  wanted text[];
begin
  if current_actor() ->> 'type' in ('RULE', 'CAMPAIGN') or is_merging() then return null; end if;
  select array_agg(distinct event) into wanted from rules where is_active and company_id in (select company_id from changed);
  if wanted is null then return null; end if;
  if 'CONVERSATION_OPENED' = any (wanted) then
    perform leave_rule_events('CONVERSATION_OPENED', array_agg(company_id), array_agg(_id)) from (
      select company_id, _id, last_message_id from changed where status <> 'CLOSED'
        intersect select company_id, _id, last_message_id from earlier where status = 'CLOSED') c;
  end if;
  if 'CONVERSATION_CLOSED' = any (wanted) then
    perform leave_rule_events('CONVERSATION_CLOSED', array_agg(company_id), array_agg(_id)) from (
      select company_id, _id from changed where status = 'CLOSED' intersect select company_id, _id from earlier where status <> 'CLOSED') c;
  end if;
  if 'CONVERSATION_ASSIGNED' = any (wanted) then
    perform leave_rule_events('CONVERSATION_ASSIGNED', array_agg(company_id), array_agg(_id)) from (
      select distinct company_id, _id from (
        (select company_id, _id, 'owner', owner_id from changed where owner_id is not null
          union all select company_id, _id, 'team', team_id from changed where team_id is not null)
        except (select company_id, _id, 'owner', owner_id from earlier union all select company_id, _id, 'team', team_id from earlier)) n) c;
  end if;
  if 'TAG_ADDED' = any (wanted) then
    perform leave_rule_events('TAG_ADDED', array_agg(company_id), array_agg(_id)) from (
      select distinct company_id, _id from (
        select company_id, _id, unnest(tags) from changed except select company_id, _id, unnest(tags) from earlier) n) c;
  end if;
  if 'REPLY_OVERDUE' = any (wanted) then
    -- It is left at once, and looked at when the reply would be overdue.
    insert into rule_events (company_id, _id, event, conversation_id, rule_id, awaited_at, is_waiting, held_until)
      select c.company_id, new_id(), r.event, c._id, r._id, c.waiting_since, false, c.waiting_since + make_interval(mins => r.after_minutes)
      from (select company_id, _id, waiting_since from changed where waiting_since is not null
          except select company_id, _id, waiting_since from earlier) c
        cross join lateral (select * from rules where company_id = c.company_id and event = 'REPLY_OVERDUE' and is_active) r;
  end if;
  return null;
end
$$;
create or replace trigger left_for_rules_again after update on conversations referencing old table as earlier new table as changed
  for each statement execute function leave_changed_for_rules();
