create table webhooks (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  url text not null,
  events text[] not null,
  -- {name: value}, encrypted as one text.
  custom_headers text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  -- Raised whenever the webhook is deactivated. Deliveries that were queued in an earlier epoch are never sent.
  epoch integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create unique index webhooks_company_key on webhooks (company_id);
call tenant_table('webhooks');

-- Which webhook wants which event: one row for each event that an ACTIVE webhook lists. The webhooks' code writes these rows, and every
-- emit reads them.
create table event_listeners (
  company_id text collate "C" not null references companies,
  event text not null,
  webhook_id text collate "C" not null,
  epoch integer not null,
  primary key (company_id, event)
);
call tenant_table('event_listeners');

create table deliveries (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  seq bigint generated always as identity,
  webhook_id text collate "C" not null,
  webhook_epoch integer not null,
  event text not null,
  resource_id text collate "C" not null,
  status text not null default 'QUEUED' check (status in ('QUEUED', 'SENDING', 'DELIVERED', 'FAILED', 'UNKNOWN')),
  -- The exact text that is sent, stored when the delivery was queued.
  body text not null,
  response_status integer,
  response_ms integer,
  response_body text,
  error text,
  replay_of text collate "C",
  queued_at timestamptz(3) not null default now(),
  -- Set when a worker claimed the delivery. attempted_at is set only when the delivery was really tried.
  claimed_at timestamptz(3),
  attempted_at timestamptz(3),
  finished_at timestamptz(3),
  primary key (company_id, _id),
  check ((status in ('FAILED', 'UNKNOWN')) = (error is not null))
)
-- Half of each page stays free, so that storing the outcome, which changes no indexed column, is a HOT update on the same page. Every row
-- leaves one dead version behind, so the table is vacuumed by a small share of its rows and not by how long its history is.
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index deliveries_queue on deliveries (company_id, seq) where claimed_at is null;
create index deliveries_log on deliveries (company_id, queued_at desc, _id desc) include (event);
-- Failed deliveries are rare, and people look for them. A delivery that succeeds leaves error null, so storing its outcome stays a HOT
-- update.
create index deliveries_trouble on deliveries (company_id, queued_at desc, _id desc) where error is not null;
-- The deliveries that a dead worker left in SENDING are found by the time of their attempt. Rows are attempted in about the order in which
-- they are stored.
create index deliveries_attempted on deliveries using brin (attempted_at) with (pages_per_range = 32, autosummarize = on);
call tenant_table('deliveries');

-- Small facts about the installation itself, such as how far the sweep of interrupted deliveries has come.
create table platform_state (
  key text primary key,
  value text not null
);
grant select, insert, update on platform_state to parley_system;
