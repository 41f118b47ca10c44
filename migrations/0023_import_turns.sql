-- Whose import is worked on: one of a company at a time, in turn among companies, by whichever process has a place for it.
alter table imports
  -- How often it was begun since it last came further; written before the work begins, so that work that kills its worker is counted.
  add column attempts integer not null default 0,
  -- Behind whom it stands; its company's imports move to the end together when one of them had its turn.
  add column turn_at timestamptz(3) not null default now(),
  -- The process that works on it, and until when it is taken to be alive.
  add column held_by text,
  add column held_until timestamptz(3);

-- The rows that failed, as lines of CSV, a piece for each portion: the record shows only the first.
create table import_errors (
  company_id text collate "C" not null references companies,
  import_id text collate "C" not null,
  -- How many rows were done before this portion.
  position integer not null,
  lines text not null,
  primary key (company_id, import_id, position),
  foreign key (company_id, import_id) references imports on delete cascade
);
call tenant_table('import_errors');
