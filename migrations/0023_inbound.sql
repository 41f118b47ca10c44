-- Callbacks that could not be read, kept for inspection. Their company is often unknown, so only the system role may read them.
create table callbacks_aside (
  _id text collate "C" primary key,
  channel text not null,
  address text,
  reason text not null,
  raw bytea not null,
  created_at timestamptz(3) not null default now()
);
create index callbacks_aside_age on callbacks_aside (created_at);
alter table callbacks_aside enable row level security;
alter table callbacks_aside force row level security;
grant select, insert, update, delete on callbacks_aside to parley_system;
create policy system on callbacks_aside to parley_system using (true) with check (true);

-- When the last downloads of a number failed. A network that sees too many failures refuses all downloads of the number for a while.
create table media_failures (
  company_id text collate "C" not null references companies,
  inbox_id text collate "C" not null,
  -- The last ten times, the oldest first.
  failed_at timestamptz(3)[] not null,
  primary key (company_id, inbox_id),
  foreign key (company_id, inbox_id) references inboxes
);
call tenant_table('media_failures');

-- The inboxes whose networks keep what arrives until it is fetched, such as mailboxes. Each one is fetched again and again.
create table inbox_fetches (
  company_id text collate "C" not null references companies,
  inbox_id text collate "C" not null,
  -- The order in which the inboxes of a company are fetched.
  seq bigint not null generated always as identity,
  -- WAITING for a worker · RUNNING: a worker fetches the inbox · RESTING until it is fetched again.
  state text not null default 'WAITING' check (state in ('WAITING', 'RUNNING', 'RESTING')),
  -- Rises with each claim, so that a worker that has lost its claim changes nothing.
  turn integer not null default 0,
  -- How many times in a row the network has failed.
  failures integer not null default 0,
  -- How far the inbox has been read, as its channel writes it. It is stored in the transaction that stores what was read.
  position jsonb,
  -- When a RESTING inbox waits again, and when a RUNNING one does because its worker has died.
  due_at timestamptz(3),
  -- The process that holds a connection on which the network says that something has arrived (IMAP IDLE).
  watched_by text,
  -- Until then the process of watched_by watches, or nobody does because the network does not offer it or has just ended it.
  watched_until timestamptz(3),
  -- True when something has arrived since the inbox was claimed last.
  has_news boolean not null default false,
  primary key (company_id, inbox_id),
  foreign key (company_id, inbox_id) references inboxes
);
create index inbox_fetches_waiting on inbox_fetches (company_id, seq) where state = 'WAITING';
create index inbox_fetches_due on inbox_fetches (due_at) where state <> 'WAITING';
call tenant_table('inbox_fetches');
