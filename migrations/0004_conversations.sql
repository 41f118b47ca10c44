create table pipelines (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
call tenant_table('pipelines');

create table pipeline_steps (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  pipeline_id text collate "C" not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, pipeline_id) references pipelines on delete cascade
);
call tenant_table('pipeline_steps');

create table conversations (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  contact_id text collate "C" not null,
  inbox_id text collate "C" not null,
  channel text not null,
  status text not null default 'OPEN' check (status in ('OPEN', 'PENDING', 'SNOOZED', 'CLOSED')),
  handled_by text not null check (handled_by in ('AI', 'HUMAN', 'NONE')),
  agent_id text collate "C",
  owner_id text collate "C",
  attendant_id text collate "C",
  pipeline_id text collate "C",
  step_id text collate "C",
  campaign_id text collate "C",
  enrollment_id text collate "C",
  tags text[] not null default '{}',
  custom_fields jsonb not null default '{}',
  unread_count integer not null default 0,
  last_message_id text collate "C",
  last_message_at timestamptz(3),
  last_inbound_at timestamptz(3),
  window_expires_at timestamptz(3),
  snoozed_until timestamptz(3),
  is_test boolean not null default false,
  closed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, contact_id) references contacts on delete cascade,
  foreign key (company_id, inbox_id) references inboxes,
  constraint conversations_agent_ref foreign key (company_id, agent_id) references agents,
  constraint conversations_owner_ref foreign key (company_id, owner_id) references users,
  constraint conversations_attendant_ref foreign key (company_id, attendant_id) references users,
  constraint conversations_pipeline_ref foreign key (company_id, pipeline_id) references pipelines,
  constraint conversations_step_ref foreign key (company_id, step_id) references pipeline_steps
)
with (fillfactor = 70);
-- A contact has at most one open conversation in an inbox, even when two first messages arrive at the same moment.
create unique index conversations_open_key on conversations (company_id, inbox_id, contact_id) where status <> 'CLOSED';
create index conversations_contact on conversations (company_id, contact_id, created_at desc, _id desc);
call tenant_table('conversations');
