-- Conversations, the order of their list, changes of many at once, and what has happened to each.

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

create table conversations (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  contact_id text collate "C" not null,
  inbox_id text collate "C" not null,
  channel text not null,
  status text not null default 'OPEN' check (status in ('OPEN', 'PENDING', 'SNOOZED', 'CLOSED')),
  handled_by text not null check (handled_by in ('AI', 'HUMAN', 'NONE')),
  agent_id text collate "C",
  owner_id text collate "C",
  attendant_id text collate "C",
  pipeline_id text collate "C",
  step_id text collate "C",
  campaign_id text collate "C",
  enrollment_id text collate "C",
  tags text[] not null default '{}',
  custom_fields jsonb not null default '{}',
  unread_count integer not null default 0,
  last_message_id text collate "C",
  last_message_at timestamptz(3),
  last_inbound_at timestamptz(3),
  window_expires_at timestamptz(3),
  snoozed_until timestamptz(3),
  is_test boolean not null default false,
  closed_at timestamptz(3),
  -- The name (contact_identities.value) under which the contact last wrote in a conversation. A contact may have several names, and the
  -- network's 24-hour window belongs to the one that wrote. While it is null, a reply goes to the contact's phone number.
  heard_from text collate "C",
  record_bytes integer not null generated always as (
    1500 + case when tags = '{}' then 0 else json_bytes(tags) end
    + case when custom_fields = '{}' then 0 else octet_length(custom_fields::text) end
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint conversations_agent_ref foreign key (company_id, agent_id) references agents,
  foreign key (company_id, contact_id) references contacts on delete cascade,
  foreign key (company_id, inbox_id) references inboxes,
  constraint conversations_pipeline_ref foreign key (company_id, pipeline_id) references pipelines,
  constraint conversations_step_ref foreign key (company_id, step_id) references pipeline_steps,
  constraint conversations_owner_ref foreign key (company_id, owner_id) references users on delete set null (owner_id),
  constraint conversations_attendant_ref foreign key (company_id, attendant_id) references users on delete set null (attendant_id)
)
with (fillfactor = 70);
-- A contact has at most one open conversation in an inbox, even when two first messages arrive at the same moment.
create unique index conversations_open_key on conversations (company_id, inbox_id, contact_id) where status <> 'CLOSED';
create index conversations_contact on conversations (company_id, contact_id, created_at desc, _id desc);
create index conversations_owner on conversations (company_id, owner_id, created_at desc, _id desc) where owner_id is not null;
create index conversations_attendant on conversations (company_id, attendant_id, created_at desc, _id desc)
  where attendant_id is not null;
create index conversations_step on conversations (company_id, step_id, created_at desc, _id desc) where step_id is not null;
create index conversations_pipeline on conversations (company_id, pipeline_id) where pipeline_id is not null;
create index conversations_list on conversations (company_id, created_at desc, _id desc);
-- An index in the list's order for each filter. People look all day at an owner's own conversations by status. Most conversations have no
-- tag.
create index conversations_status on conversations (company_id, status, created_at desc, _id desc);
create index conversations_inbox on conversations (company_id, inbox_id, created_at desc, _id desc);
create index conversations_owner_status on conversations (company_id, owner_id, status, created_at desc, _id desc)
  where owner_id is not null;
create index conversations_handled_by on conversations (company_id, handled_by, created_at desc, _id desc);
create index conversations_agent on conversations (company_id, agent_id, created_at desc, _id desc)
  where agent_id is not null;
create index conversations_tags on conversations using gin (company_id, tags) where tags <> '{}';
create index conversations_updated on conversations (company_id, updated_at desc, _id desc);
-- The counts of the open conversations are read from this index alone. Each column of it is in another index already, so a message, which
-- changes none of them, still writes no index of the conversation.
create index conversations_open on conversations (company_id, created_at desc, _id desc)
  include (status, owner_id, inbox_id, step_id) where status <> 'CLOSED';
-- The order of the list for conversations without an owner; conversations_owner has all others.
create index conversations_unassigned on conversations (company_id, created_at desc, _id desc)
  where owner_id is null;
call tenant_table('conversations');
call counted_table('conversations');

create table conversation_activity (
  company_id text collate "C" not null references companies,
  record_id text collate "C" not null,
  active_at timestamptz(3) not null,
  -- The lists are also read by status, because closed conversations are far from the beginning and would be found only after a long walk
  -- through all others.
  status text not null,
  -- False for a closed conversation.
  is_unread boolean not null default false,
  -- The owner of an unread conversation; null for nobody, and while nothing is unread.
  owner_id text collate "C",
  primary key (company_id, record_id),
  foreign key (company_id, record_id) references conversations on delete cascade
);
create index conversation_activity_list on conversation_activity (company_id, active_at desc, record_id desc);
create index conversation_activity_status on conversation_activity (company_id, status, active_at desc, record_id desc);
create index conversation_activity_unread on conversation_activity (company_id, owner_id) where is_unread;
call tenant_table('conversation_activity');

-- One change to many conversations: the run with the conversations that were selected when it began, and how far it is.
create table conversation_runs (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  -- The fields to change, and the conversations in the order in which they are changed.
  change jsonb not null,
  conversation_ids text[] not null,
  -- Who started the run, and the request that did: the audit and the events name them for each conversation.
  actor jsonb not null,
  origin jsonb not null,
  status text not null check (status in ('QUEUED', 'RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED')),
  total integer not null,
  -- The number of conversations that are done. It changes in the transaction that changes the conversation.
  processed integer not null default 0,
  changed_count integer not null default 0,
  failed_count integer not null default 0,
  -- The first conversations that could not be changed: [{conversation, code, message}].
  failures jsonb not null default '[]',
  -- {code, message}: why the run ended before its last conversation.
  error jsonb,
  -- Whether a worker may take it now, and its place among the runs of its company.
  is_waiting boolean not null,
  turn_at timestamptz(3) not null default now(),
  -- How often the work was begun since its last progress. The number is stored before the work begins, so that work that kills its worker
  -- is counted as well.
  attempts integer not null default 0,
  -- When a worker took it last. It may be taken again after `held_until`: its worker has died, or a pause is over.
  claimed_at timestamptz(3),
  held_until timestamptz(3),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  record_bytes integer not null generated always as (
    1000 + octet_length(change::text) + octet_length(failures::text) + 28 * total
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
)
-- The counts of a run change with each of its conversations.
with (fillfactor = 70);
create index conversation_runs_list on conversation_runs (company_id, created_at desc, _id desc);
create index conversation_runs_updated on conversation_runs (company_id, updated_at desc, _id desc);
create index conversation_runs_waiting on conversation_runs (company_id, turn_at) where is_waiting;
create index conversation_runs_held on conversation_runs (held_until) where finished_at is null and not is_waiting;
create index conversation_runs_open on conversation_runs (company_id) where finished_at is null;
call tenant_table('conversation_runs');
call counted_table('conversation_runs', updates => 'UNBOUNDED');

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
  record_bytes integer not null generated always as (octet_length(changes::text) + coalesce(octet_length(actor_name), 0) + 300) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
create index conversation_history_list on conversation_history (company_id, conversation_id, created_at desc, _id desc);
create index conversation_history_updated on conversation_history (company_id, conversation_id, updated_at desc, _id desc);
call tenant_table('conversation_history');
call counted_table('conversation_history', inserts => 'UNBOUNDED', updates => 'UNCOUNTED');

create function begin_conversation_activity() returns trigger
language plpgsql as $$
begin
  insert into conversation_activity (company_id, record_id, active_at, status, is_unread, owner_id)
    select company_id, _id, coalesce(last_message_at, '-infinity'), status, unread_count > 0 and status <> 'CLOSED',
      case when unread_count > 0 and status <> 'CLOSED' then owner_id end from added;
  return null;
end
$$;
create trigger conversations_activity_begins after insert on conversations
  referencing new table as added for each statement execute function begin_conversation_activity();

create function move_conversation_activity() returns trigger
language plpgsql as $$
begin
  update conversation_activity a
    set active_at = n.active_at, status = n.status, is_unread = n.is_unread, owner_id = n.owner_id
    from (select company_id, _id, coalesce(last_message_at, '-infinity') as active_at, status,
        unread_count > 0 and status <> 'CLOSED' as is_unread,
        case when unread_count > 0 and status <> 'CLOSED' then owner_id end as owner_id from changed) n
    where a.company_id = n.company_id and a.record_id = n._id
      and (a.active_at <> n.active_at or a.status <> n.status or a.is_unread <> n.is_unread or a.owner_id is distinct from n.owner_id);
  return null;
end
$$;
create trigger conversations_activity_moves after update on conversations
  referencing new table as changed for each statement execute function move_conversation_activity();

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
