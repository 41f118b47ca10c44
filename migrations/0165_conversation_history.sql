-- What happened to each conversation, for the lines between its messages: who assigned, closed, moved or tagged it. A trigger writes it, because
-- many statements change conversations and one of them could forget to.
set local lock_timeout = '2s';

create table conversation_history (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  conversation_id text collate "C" not null,
  -- The user, key, agent, campaign or follow-up that caused the change, with its name at that time; null for the platform itself.
  actor_type text check (actor_type in ('USER', 'KEY', 'AGENT', 'CAMPAIGN', 'FOLLOWUP')),
  actor_id text collate "C",
  actor_name text,
  -- [{field, from, to, from_name, to_name}], with the names of users, agents and steps at that time.
  changes jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  record_bytes integer not null generated always as (octet_length(changes::text) + coalesce(octet_length(actor_name), 0) + 300) stored,
  primary key (company_id, _id),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
create index conversation_history_list on conversation_history (company_id, conversation_id, created_at desc, _id desc);
create index conversation_history_updated on conversation_history (company_id, conversation_id, updated_at desc, _id desc);
call tenant_table('conversation_history');
-- It counts towards the quota, but a company without room can still close its conversations.
create trigger inserted after insert on conversation_history referencing new table as written
  for each statement execute function count_inserted_unbounded();
create trigger deleted after delete on conversation_history referencing old table as gone
  for each statement execute function count_deleted();
create trigger noted_insert after insert on conversation_history referencing new table as written
  for each statement execute function note_changes('conversation_history');

-- One change of a field in the form in which the history keeps it; nothing when the value is the same.
create function history_change(field text, before text, after text, before_name text, after_name text) returns jsonb
language sql immutable as $$
  select case when before is distinct from after then jsonb_build_array(jsonb_build_object(
    'field', field, 'from', before, 'to', after, 'from_name', before_name, 'to_name', after_name)) else '[]'::jsonb end
$$;

create function history_time(value timestamptz) returns text
language sql immutable as $$
  select to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- The actor travels in the setting app.actor of the transaction: JSON {type, id, name}, written in hexadecimal digits.
create function write_conversation_history() returns trigger
language plpgsql set search_path from current as $$
declare
  given text := nullif(current_setting('app.actor', true), '');
  actor jsonb := convert_from(decode(given, 'hex'), 'UTF8')::jsonb;
  -- The names are looked up only for what has changed.
  users_named jsonb := '{}';
  agents_named jsonb := '{}';
  steps_named jsonb := '{}';
begin
  if new.owner_id is distinct from old.owner_id or new.attendant_id is distinct from old.attendant_id then
    select coalesce(jsonb_object_agg(_id, name), '{}') into users_named from users
      where company_id = new.company_id and _id in (old.owner_id, new.owner_id, old.attendant_id, new.attendant_id);
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
      || history_change('owner', old.owner_id, new.owner_id, users_named ->> old.owner_id, users_named ->> new.owner_id)
      || history_change('attendant', old.attendant_id, new.attendant_id, users_named ->> old.attendant_id, users_named ->> new.attendant_id)
      || history_change('handled_by', old.handled_by, new.handled_by, null, null)
      || history_change('agent', old.agent_id, new.agent_id, agents_named ->> old.agent_id, agents_named ->> new.agent_id)
      || history_change('step', old.step_id, new.step_id, steps_named ->> old.step_id, steps_named ->> new.step_id)
      || (select coalesce(jsonb_agg(history_change('tag', tag, null, null, null) -> 0), '[]') from unnest(old.tags) tag where tag <> all (new.tags))
      || (select coalesce(jsonb_agg(history_change('tag', null, tag, null, null) -> 0), '[]') from unnest(new.tags) tag where tag <> all (old.tags));
  return null;
end
$$;
create trigger remembered after update of status, snoozed_until, owner_id, attendant_id, handled_by, agent_id, step_id, tags on conversations
  for each row when (old.status <> new.status or old.snoozed_until is distinct from new.snoozed_until
    or old.owner_id is distinct from new.owner_id or old.attendant_id is distinct from new.attendant_id
    or old.handled_by <> new.handled_by or old.agent_id is distinct from new.agent_id
    or old.step_id is distinct from new.step_id or not (old.tags @> new.tags and old.tags <@ new.tags))
  execute function write_conversation_history();
