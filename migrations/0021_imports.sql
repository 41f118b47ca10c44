-- An import: a sheet that a caller uploaded, and how far the worker has come with it.
create table imports (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  kind text not null check (kind in ('CONTACTS', 'TABLE')),
  table_id text collate "C",
  file_name text not null,
  format text not null check (format in ('CSV', 'XLSX')),
  status text not null default 'QUEUED' check (status in ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED')),
  -- The options of the request: the mapping of columns, silent, and source.
  options jsonb not null default '{}',
  -- The number of rows of the sheet that are done. A worker that takes over continues after them.
  processed integer not null default 0,
  created_count integer not null default 0,
  updated_count integer not null default 0,
  failed_count integer not null default 0,
  -- [{row, field, message}], limited to as many as a person reads.
  row_errors jsonb not null default '[]',
  error jsonb,
  -- The caller who uploaded the sheet. Events and records name the caller as their origin.
  principal jsonb not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  -- A sheet has at most 50 MB and 100,000 rows.
  bytes integer not null default 0,
  total integer,
  -- How often the work was begun since its last progress. The number is stored before the work begins, so that work that kills its worker
  -- is counted as well.
  attempts integer not null default 0,
  -- Whether a worker may take the import now, and its place in the queue of its company.
  is_waiting boolean not null default true,
  turn_at timestamptz(3) not null default now(),
  -- When a worker took it last. It may be taken again after `held_until`: its worker has died, or a pause is over.
  claimed_at timestamptz(3),
  held_until timestamptz(3),
  record_bytes integer not null generated always as (
    1000 + json_bytes(file_name) + octet_length(options::text) + octet_length(row_errors::text) + coalesce(octet_length(error::text), 0)
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, table_id) references tables on delete cascade
);
create index imports_list on imports (company_id, kind, created_at desc, _id desc);
-- Finds the few imports of a company that have not ended, however many have ended.
create index imports_open on imports (company_id) where finished_at is null;
create index imports_waiting on imports (company_id, turn_at) where is_waiting;
create index imports_held on imports (held_until) where finished_at is null and not is_waiting;
create index imports_updated on imports (company_id, kind, updated_at desc, _id desc);
call tenant_table('imports');
call counted_table('imports', updates => 'UNBOUNDED');

-- The sheet itself, in pieces, until its import has ended. It is in the database, because api and worker may run on two machines that share
-- nothing else.
create table import_chunks (
  company_id text collate "C" not null references companies,
  import_id text collate "C" not null,
  position integer not null,
  bytes bytea not null,
  record_bytes integer not null generated always as (octet_length(bytes)) stored,
  primary key (company_id, import_id, position),
  foreign key (company_id, import_id) references imports on delete cascade
);
-- The pieces are stored uncompressed. A workbook is compressed already, and the pieces of a CSV are deleted after a minute, so compressing
-- them would cost more than it saves.
alter table import_chunks alter column bytes set storage external;
call tenant_table('import_chunks');
call counted_table('import_chunks');

-- The rows that failed, as lines of CSV, a piece for each portion of rows. The import record itself shows only the first of them.
create table import_errors (
  company_id text collate "C" not null references companies,
  import_id text collate "C" not null,
  -- The number of rows that were done before this portion.
  position integer not null,
  lines text not null,
  record_bytes integer not null generated always as (octet_length(lines)) stored,
  primary key (company_id, import_id, position),
  foreign key (company_id, import_id) references imports on delete cascade
);
call tenant_table('import_errors');
call counted_table('import_errors', inserts => 'UNBOUNDED');
