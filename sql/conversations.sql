-- Whether a contact has a conversation in an inbox. The statement that queues deliveries asks it.
create or replace function has_conversation(company text, inbox text, contact text) returns boolean language sql stable as $$
  select exists (select from conversations where company_id = company and inbox_id = inbox and contact_id = contact)
$$;

-- Whether the company has blocked the contact of a conversation. Until it unblocks the contact, no one is notified of what they write, no team
-- assigns the conversation, no rule runs for it, and it has no SLA targets.
create or replace function has_blocked_contact(company text, conversation text) returns boolean language sql stable as $$
  select exists (select from conversations v join contacts c on c.company_id = v.company_id and c._id = v.contact_id
    where v.company_id = company and v._id = conversation and c.blocked)
$$;

-- Triggers write conversation_activity, so no code can forget it.
create or replace function begin_conversation_activity() returns trigger
language plpgsql as $$
begin
  insert into conversation_activity (company_id, record_id, active_at, status, is_unread, owner_id, awaited_at)
    select company_id, _id, coalesce(last_message_at, '-infinity'), status, unread_count > 0 and status <> 'CLOSED',
      case when unread_count > 0 and status <> 'CLOSED' then owner_id end, waiting_since from added;
  return null;
end
$$;
create or replace trigger conversations_activity_begins after insert on conversations
  referencing new table as added for each statement execute function begin_conversation_activity();

create or replace function move_conversation_activity() returns trigger
language plpgsql as $$
begin
  update conversation_activity a
    set active_at = n.active_at, status = n.status, is_unread = n.is_unread, owner_id = n.owner_id, awaited_at = n.waiting_since
    from (select company_id, _id, waiting_since, coalesce(last_message_at, '-infinity') as active_at, status,
        unread_count > 0 and status <> 'CLOSED' as is_unread,
        case when unread_count > 0 and status <> 'CLOSED' then owner_id end as owner_id from changed) n
    where a.company_id = n.company_id and a.record_id = n._id
      and (a.active_at <> n.active_at or a.status <> n.status or a.is_unread <> n.is_unread or a.owner_id is distinct from n.owner_id
        or a.awaited_at is distinct from n.waiting_since);
  return null;
end
$$;
create or replace trigger conversations_activity_moves after update on conversations
  referencing new table as changed for each statement execute function move_conversation_activity();

-- Returns a change of a field as the history stores it; an empty list when the value is the same.
create or replace function history_change(field text, before text, after text, before_name text, after_name text) returns jsonb
language sql immutable as $$
  select case when before is distinct from after then jsonb_build_array(jsonb_build_object(
    'field', field, 'from', before, 'to', after, 'from_name', before_name, 'to_name', after_name)) else '[]'::jsonb end
$$;

create or replace function history_time(value timestamp with time zone) returns text
language sql immutable as $$
  select to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Returns the name of a priority, which is stored as a number because its order is that of the list; null for 0.
create or replace function priority_name(rank integer) returns text
language sql immutable as $$
  select (array['LOW', 'MEDIUM', 'HIGH', 'URGENT'])[rank]
$$;

-- Returns who causes the change; null for the platform itself. The actor travels in the setting app.actor of the transaction: JSON
-- {type, id, name}, written in hexadecimal digits.
create or replace function current_actor() returns jsonb
language sql stable as $$
  select convert_from(decode(nullif(current_setting('app.actor', true), ''), 'hex'), 'UTF8')::jsonb
$$;

-- Whether the transaction merges two conversations. The one that stays may be opened, assigned and tagged by that, but these changes were
-- already reported for the other conversation. So no rule runs for it, no user is notified, and no report counts it.
create or replace function is_merging() returns boolean
language sql stable as $$
  select coalesce(current_setting('app.merging', true), '') = 'on'
$$;

-- Makes a user follow a conversation, and returns whether the user follows it then. A conversation has at most 50 followers. A user who has
-- unfollowed it follows it again only with `again`.
create or replace function follow_conversation(company text, conversation text, follower text, again boolean) returns boolean
language plpgsql as $$
declare
  present boolean := (select follows from conversation_participants
    where company_id = company and conversation_id = conversation and user_id = follower);
begin
  if present or not again and present is not null then return present; end if;
  if (select count(*) from conversation_participants where company_id = company and conversation_id = conversation and follows) >= 50 then
    return false;
  end if;
  insert into conversation_participants (company_id, conversation_id, user_id) values (company, conversation, follower)
    on conflict (company_id, conversation_id, user_id) do update set follows = true, updated_at = now();
  return true;
end
$$;

create or replace function write_conversation_history() returns trigger
language plpgsql set search_path from current as $$
declare
  actor jsonb := current_actor();
  -- The names are looked up only for what has changed.
  users_named jsonb := '{}';
  teams_named jsonb := '{}';
  agents_named jsonb := '{}';
  steps_named jsonb := '{}';
begin
  if new.owner_id is distinct from old.owner_id or new.attendant_id is distinct from old.attendant_id then
    select coalesce(jsonb_object_agg(_id, name), '{}') into users_named from users
      where company_id = new.company_id and _id in (old.owner_id, new.owner_id, old.attendant_id, new.attendant_id);
  end if;
  if new.team_id is distinct from old.team_id then
    select coalesce(jsonb_object_agg(_id, name), '{}') into teams_named from teams
      where company_id = new.company_id and _id in (old.team_id, new.team_id);
  end if;
  if new.agent_id is distinct from old.agent_id then
    select coalesce(jsonb_object_agg(_id, name), '{}') into agents_named from agents
      where company_id = new.company_id and _id in (old.agent_id, new.agent_id);
  end if;
  if new.step_id is distinct from old.step_id then
    select coalesce(jsonb_object_agg(_id, name), '{}') into steps_named from pipeline_steps
      where company_id = new.company_id and _id in (old.step_id, new.step_id);
  end if;
  insert into conversation_history (company_id, _id, conversation_id, actor_type, actor_id, actor_name, changes)
    select new.company_id, new_id(), new._id, actor ->> 'type', actor ->> 'id', actor ->> 'name',
      history_change('status', old.status, new.status, null, null)
      || history_change('snoozed_until', history_time(old.snoozed_until), history_time(new.snoozed_until), null, null)
      || history_change('priority', priority_name(old.priority), priority_name(new.priority), null, null)
      || history_change('owner', old.owner_id, new.owner_id, users_named ->> old.owner_id, users_named ->> new.owner_id)
      || history_change('attendant', old.attendant_id, new.attendant_id, users_named ->> old.attendant_id, users_named ->> new.attendant_id)
      || history_change('team', old.team_id, new.team_id, teams_named ->> old.team_id, teams_named ->> new.team_id)
      || history_change('handled_by', old.handled_by, new.handled_by, null, null)
      || history_change('agent', old.agent_id, new.agent_id, agents_named ->> old.agent_id, agents_named ->> new.agent_id)
      || history_change('step', old.step_id, new.step_id, steps_named ->> old.step_id, steps_named ->> new.step_id)
      || (select coalesce(jsonb_agg(history_change('tag', tag, null, null, null) -> 0), '[]') from unnest(old.tags) tag where tag <> all (new.tags))
      || (select coalesce(jsonb_agg(history_change('tag', null, tag, null, null) -> 0), '[]') from unnest(new.tags) tag where tag <> all (old.tags));
  return null;
end
$$;
create or replace trigger remembered after update of status, snoozed_until, priority, owner_id, attendant_id, team_id, handled_by, agent_id, step_id, tags on conversations
  for each row when (old.status <> new.status or old.snoozed_until is distinct from new.snoozed_until
    or old.priority <> new.priority or old.owner_id is distinct from new.owner_id or old.attendant_id is distinct from new.attendant_id
    or old.team_id is distinct from new.team_id or old.handled_by <> new.handled_by or old.agent_id is distinct from new.agent_id
    or old.step_id is distinct from new.step_id or not (old.tags @> new.tags and old.tags <@ new.tags))
  execute function write_conversation_history();

create or replace trigger inserted after insert on conversation_history referencing new table as written
  for each statement execute function count_inserted_unbounded();
create or replace trigger deleted after delete on conversation_history referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger noted_insert after insert on conversation_history referencing new table as written
  for each statement execute function note_changes('conversation_history');

create or replace trigger inserted after insert on conversation_runs referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on conversation_runs referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on conversation_runs for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();
create or replace trigger noted_insert after insert on conversation_runs referencing new table as written
  for each statement execute function note_changes('conversation_runs');
create or replace trigger noted_update after update on conversation_runs referencing new table as written
  for each statement execute function note_changes('conversation_runs');

create or replace trigger inserted after insert on conversations referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on conversations referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on conversations for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();
create or replace trigger noted_insert after insert on conversations referencing new table as written
  for each statement execute function note_changes('conversations');
create or replace trigger noted_update after update on conversations referencing new table as written
  for each statement execute function note_changes('conversations');
create or replace trigger noted_delete after delete on conversations referencing old table as written
  for each statement execute function note_changes('conversations');
