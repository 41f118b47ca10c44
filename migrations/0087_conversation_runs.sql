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
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  record_bytes integer not null generated always as (
    1000 + octet_length(change::text) + octet_length(failures::text) + 28 * total
  ) stored,
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

create trigger inserted after insert on conversation_runs referencing new table as written
  for each statement execute function count_inserted();
create trigger deleted after delete on conversation_runs referencing old table as gone
  for each statement execute function count_deleted();
create trigger updated after update of record_bytes on conversation_runs
  for each row when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();
create trigger noted_insert after insert on conversation_runs referencing new table as written
  for each statement execute function note_changes('conversation_runs');
create trigger noted_update after update on conversation_runs referencing new table as written
  for each statement execute function note_changes('conversation_runs');
