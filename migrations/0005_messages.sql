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
  -- {storage_key, url, mimeType, fileName, size} and what the network needs to hand the file out (network)
  media jsonb,
  template jsonb,
  interactive jsonb,
  location jsonb,
  contacts jsonb,
  reaction jsonb,
  referral jsonb,
  reply_to text collate "C",
  -- The network's id of the message that is answered or reacted to; it may arrive later than its answer.
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
  -- True of a message that was given up after a day in which nobody knew whether the network took it: only such a FAILED can
  -- still be corrected.
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
-- Exactly once in the store, whatever the network repeats.
create unique index messages_external_key on messages (company_id, inbox_id, external_id);
create index messages_conversation on messages (company_id, conversation_id, created_at, _id);
-- What a later status, or the 24 hours, still have to settle. Cross-company by design: one job looks.
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
  -- What makes a repetition: the network repeats itself, and one copy is enough.
  fingerprint text not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, inbox_id) references inboxes
);
create unique index parked_updates_key on parked_updates (company_id, inbox_id, external_id, fingerprint);
create index parked_updates_age on parked_updates (created_at);
call tenant_table('parked_updates');

-- The agent's pending turns: one per conversation, whatever number of messages waits for the answer.
create table pending_turns (
  company_id text collate "C" not null references companies,
  conversation_id text collate "C" not null,
  message_id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, conversation_id),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
call tenant_table('pending_turns');

-- Callbacks that could not be understood, kept for inspection. Often no company can be told: readable by the system only.
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
