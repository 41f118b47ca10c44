-- Runs: long work on many records, which a request asks for and a worker does a portion at a time.
create table runs (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  kind text not null,
  -- Who started the run, and the request that did. Both are null for a run that an earlier release has stored without them.
  actor jsonb,
  origin jsonb,
  -- What to do, in the form of the kind.
  input jsonb not null,
  -- The table that an import fills. The import goes with it.
  table_id text collate "C" generated always as (input ->> 'table') stored,
  -- The records to work on, in this order, for kinds that select them when the run begins.
  subjects text[],
  -- Where the next portion begins, for kinds without subjects.
  place jsonb,
  status text not null check (status in ('QUEUED', 'RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED')),
  -- Null until a worker has counted the records.
  total integer,
  -- The number of records that are done. It changes in the transaction that does them.
  processed integer not null default 0,
  created_count integer not null default 0,
  changed_count integer not null default 0,
  failed_count integer not null default 0,
  -- The first records that have failed, in the form of the kind.
  failures jsonb not null default '[]',
  -- {code, message}: why the run ended before its last record.
  error jsonb,
  -- Whether a worker may take the run now, and its place among the runs of its kind and company.
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
    1000 + octet_length(input::text) + octet_length(failures::text) + coalesce(octet_length(error::text), 0)
      + case when subjects is null then 0 else 28 * total end
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, table_id) references tables on delete cascade
)
-- The counts of a run change with each portion.
with (fillfactor = 70);
create index runs_list on runs (company_id, kind, created_at desc, _id desc);
create index runs_updated on runs (company_id, kind, updated_at desc, _id desc);
create index runs_waiting on runs (kind, company_id, turn_at) where is_waiting;
create index runs_held on runs (held_until) where finished_at is null and not is_waiting;
create index runs_open on runs (company_id, kind) where finished_at is null;
create index runs_table on runs (company_id, table_id) where table_id is not null;
call tenant_table('runs');
call counted_table('runs', updates => 'UNBOUNDED');
call noted_table('runs');

-- The runs of the earlier release move here with their ids. One in the middle of its work goes on after what it has counted; its worker
-- finds that it has ended.
create function move_runs() returns void language sql as $$
  with gone as (delete from conversation_runs returning *)
  insert into runs (company_id, _id, kind, actor, origin, input, subjects, status, total, processed, changed_count, failed_count, failures,
      error, is_waiting, turn_at, started_at, finished_at, created_at, updated_at)
    select company_id, _id, 'CONVERSATIONS', actor, origin, change, conversation_ids, status, total, processed, changed_count, failed_count,
      failures, error, finished_at is null, turn_at, started_at, finished_at, created_at, updated_at
    from gone;
  with gone as (delete from delivery_replays returning *)
  insert into runs (company_id, _id, kind, input, place, status, total, processed, created_count, error, is_waiting, finished_at, created_at,
      updated_at)
    select company_id, _id, 'REPLAY', jsonb_build_object('webhook', webhook_id, 'epoch', webhook_epoch, 'status', delivery_status,
        'event', event, 'from', since, 'to', until),
      case when after_id is not null then jsonb_build_object('at', after_at, 'id', after_id) end, status, total, processed, replayed,
      case when error is not null then jsonb_build_object('code', error, 'message', 'The webhook is inactive') end,
      finished_at is null, finished_at, created_at, updated_at
    from gone;
  with gone as (delete from imports returning *)
  insert into runs (company_id, _id, kind, actor, input, status, total, processed, created_count, changed_count, failed_count, failures, error,
      is_waiting, turn_at, started_at, finished_at, created_at, updated_at)
    select company_id, _id, 'IMPORT',
      jsonb_build_object('type', principal -> 'type', 'id', principal -> '_id', 'name', principal -> 'name'),
      options || jsonb_build_object('kind', kind, 'table', table_id, 'file_name', file_name, 'format', format, 'bytes', bytes),
      status, total, processed, created_count, updated_count, failed_count, row_errors, error, finished_at is null, turn_at, started_at,
      finished_at, created_at, updated_at
    from gone;
$$;

-- The pieces and the errors of a sheet belong to its run. They are stored before the run, in its transaction.
alter table import_chunks drop constraint import_chunks_company_id_import_id_fkey,
  add constraint import_chunks_run foreign key (company_id, import_id) references runs on delete cascade
    deferrable initially deferred not valid;
alter table import_errors drop constraint import_errors_company_id_import_id_fkey,
  add constraint import_errors_run foreign key (company_id, import_id) references runs on delete cascade not valid;

-- Row security may apply to the owner, who would then see no row.
set local role parley_system;
lock table conversation_runs, delivery_replays, imports in share row exclusive mode;
select move_runs();
reset role;

-- Until it is restarted, a process of the earlier release stores its runs in the tables that it knows. A later release removes them.
create function move_stored_run() returns trigger language plpgsql as $$
begin
  perform move_runs();
  return null;
end
$$;
create trigger moved after insert on conversation_runs for each statement execute function move_stored_run();
create trigger moved after insert on imports for each statement execute function move_stored_run();
create trigger moved after insert on delivery_replays for each statement execute function move_stored_run();
