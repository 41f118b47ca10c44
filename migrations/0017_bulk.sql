-- One template to many contacts: a run, and a row for each contact that was given.
create table bulk_runs (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  inbox_id text collate "C" not null,
  -- The template as it was approved when the run began, the given components, and whom the conversations are assigned to.
  template jsonb not null,
  components jsonb not null,
  options jsonb not null,
  -- Who asked: messages and events name the origin.
  actor jsonb not null,
  total integer not null,
  sent_count integer not null default 0,
  error_count integer not null default 0,
  -- The process that works on it, and until when it is taken to be alive.
  held_by text collate "C",
  held_until timestamptz(3),
  completed_at timestamptz(3),
  record_bytes integer not null generated always as (
    600 + octet_length(template::text) + octet_length(components::text) + octet_length(options::text)
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint bulk_runs_inbox_ref foreign key (company_id, inbox_id) references inboxes
);
create index bulk_runs_list on bulk_runs (company_id, created_at desc, _id desc);
create index bulk_runs_updated on bulk_runs (company_id, updated_at desc, _id desc);
create index bulk_runs_inbox on bulk_runs (company_id, inbox_id);
call tenant_table('bulk_runs');
call counted_table('bulk_runs', updates => 'UNBOUNDED');

create table bulk_rows (
  company_id text collate "C" not null references companies,
  run_id text collate "C" not null,
  -- From 1, in the order given.
  row integer not null,
  name text,
  -- The number as E.164, or as it was written where it can not be read.
  phone text not null,
  -- The other columns of the sheet by their titles, until the message is stored.
  columns jsonb,
  -- WAITING, READY (its message is stored), CALLING (the network may have got it), SENT, FAILED, UNKNOWN.
  status text not null default 'WAITING' check (status in ('WAITING', 'READY', 'CALLING', 'SENT', 'FAILED', 'UNKNOWN')),
  contact_id text collate "C",
  conversation_id text collate "C",
  message_id text collate "C",
  -- {code, message}
  error jsonb,
  -- The network's own word for an accepted message that it does not send yet.
  network_status text,
  -- How often the network refused it as too many.
  refusals integer not null default 0,
  -- The place in the day's limit that was taken for it, and the one that the person had before.
  reached_at timestamptz(3),
  reached_before timestamptz(3),
  record_bytes integer not null generated always as (
    200 + json_bytes(coalesce(name, '') || phone) + coalesce(octet_length(columns::text), 0) + coalesce(octet_length(error::text), 0)
  ) stored,
  primary key (company_id, run_id, row),
  foreign key (company_id, run_id) references bulk_runs on delete cascade,
  foreign key (company_id, contact_id) references contacts on delete cascade
)
with (fillfactor = 70);
create index bulk_rows_contact on bulk_rows (company_id, contact_id) where contact_id is not null;
create index bulk_rows_open on bulk_rows (company_id, run_id, row) where status in ('WAITING', 'READY', 'CALLING');
call tenant_table('bulk_rows');
call counted_table('bulk_rows', updates => 'UNBOUNDED');
