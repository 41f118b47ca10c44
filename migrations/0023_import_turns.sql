-- Which import is worked on next: one of a company at a time, companies in turn, by any process that has a free slot.
alter table imports
  -- How often the work was begun since its last progress. The number is stored before the work begins, so that work that kills its worker
  -- is counted as well.
  add column attempts integer not null default 0,
  -- The place in the queue: imports with an earlier time come first. All imports of a company get a new time when one of them had its turn.
  add column turn_at timestamptz(3) not null default now(),
  -- The process that works on the import, and the time until which this process counts as alive.
  add column held_by text,
  add column held_until timestamptz(3);

-- The rows that failed, as lines of CSV, a piece for each portion of rows. The import record itself shows only the first of them.
create table import_errors (
  company_id text collate "C" not null references companies,
  import_id text collate "C" not null,
  -- The number of rows that were done before this portion.
  position integer not null,
  lines text not null,
  primary key (company_id, import_id, position),
  foreign key (company_id, import_id) references imports on delete cascade
);
call tenant_table('import_errors');
