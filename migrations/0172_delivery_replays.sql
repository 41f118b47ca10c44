-- Deliveries of a period that are sent once more: what was asked for, and how far it is.
create table delivery_replays (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  webhook_id text collate "C" not null,
  webhook_epoch integer not null,
  -- Which deliveries: those that were queued from `since` on and before `until`, with this status, and with this event where it is not null.
  delivery_status text not null,
  event text,
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  status text not null default 'RUNNING' check (status in ('RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED')),
  total integer not null,
  -- The deliveries that were looked at, and those of them that were queued once more. They change with the replays, in one transaction.
  processed integer not null default 0,
  replayed integer not null default 0,
  -- The last delivery that was looked at.
  after_at timestamptz(3),
  after_id text collate "C",
  error text,
  -- When the next portion is due.
  due_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create index delivery_replays_list on delivery_replays (company_id, created_at desc, _id desc);
create index delivery_replays_updated on delivery_replays (company_id, updated_at desc, _id desc);
create index delivery_replays_due on delivery_replays (due_at) where finished_at is null;
-- A company has one at a time.
create unique index delivery_replays_running on delivery_replays (company_id) where finished_at is null;
call tenant_table('delivery_replays');
