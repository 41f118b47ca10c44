create table messages (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  conversation_id text collate "C" not null,
  contact_id text collate "C" not null,
  inbox_id text collate "C" not null,
  channel text not null,
  sender_type text not null check (sender_type in ('CONTACT', 'USER', 'AGENT', 'SYSTEM')),
  sender_id text collate "C",
  message_type text not null check (message_type in ('INCOMING', 'OUTGOING', 'NOTE', 'SYSTEM')),
  origin text not null check (
    origin in ('API', 'DASHBOARD', 'AGENT', 'CAMPAIGN', 'BULK', 'FOLLOWUP', 'BUSINESS_APP', 'CHANNEL')
  ),
  content_type text not null,
  content text,
  attachment_id text collate "C",
  -- {storage_key, url, mimeType, fileName, size}, and the data that the network needs to return the file (network).
  media jsonb,
  template jsonb,
  interactive jsonb,
  location jsonb,
  contacts jsonb,
  reaction jsonb,
  referral jsonb,
  reply_to text collate "C",
  -- The network's id of the message that this one answers or reacts to. That message may arrive later than this one.
  reply_to_external text collate "C",
  status text not null check (status in ('QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED')),
  errors jsonb not null default '[]',
  failure_reason jsonb,
  external_id text collate "C",
  campaign_id text collate "C",
  enrollment_id text collate "C",
  agent_id text collate "C",
  is_echo boolean not null default false,
  is_test boolean not null default false,
  -- True for a message that was marked as FAILED after a day because nobody knew whether the network had taken it. Only such a FAILED
  -- message may still get another status.
  outcome_unknown boolean not null default false,
  edited_at timestamptz(3),
  revoked_at timestamptz(3),
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  read_at timestamptz(3),
  failed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, conversation_id) references conversations on delete cascade,
  foreign key (company_id, contact_id) references contacts on delete cascade,
  foreign key (company_id, inbox_id) references inboxes
)
with (fillfactor = 80);
-- A message is stored exactly once, however often the network repeats it.
create unique index messages_external_key on messages (company_id, inbox_id, external_id);
create index messages_conversation on messages (company_id, conversation_id, created_at, _id);
-- The messages whose outcome a later status or the limit of 24 hours decides. One job looks for them in all companies.
create index messages_queued on messages (created_at) where status = 'QUEUED';
call tenant_table('messages');

-- Statuses, edits and revocations that arrived before their message.
create table parked_updates (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  inbox_id text collate "C" not null,
  external_id text collate "C" not null,
  kind text not null check (kind in ('STATUS', 'EDIT', 'REVOKE')),
  happened_at timestamptz(3) not null,
  payload jsonb not null,
  -- Equal for repetitions of the same update, because the network may send it again and one copy is enough.
  fingerprint text not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, inbox_id) references inboxes
);
create unique index parked_updates_key on parked_updates (company_id, inbox_id, external_id, fingerprint);
create index parked_updates_age on parked_updates (created_at);
call tenant_table('parked_updates');

-- The conversations in which an agent has to answer: one row for each, however many messages wait for the answer.
create table pending_turns (
  company_id text collate "C" not null references companies,
  conversation_id text collate "C" not null,
  message_id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, conversation_id),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
call tenant_table('pending_turns');

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
create policy system on callbacks_aside to parley_system using (true) with check (true);
grant select, insert, update, delete on callbacks_aside to parley_system;
