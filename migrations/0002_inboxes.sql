create table agents (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
call tenant_table('agents');

create table inboxes (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  channel text not null,
  number text not null default '',
  webhook_url text,
  default_agent text collate "C",
  default_owner text collate "C",
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'DELETED')),
  -- The settings of the channel. The properties that the channel declares as secrets are encrypted inside.
  api_wap_config jsonb,
  partner_api_config jsonb,
  professional_network_config jsonb,
  test_mode jsonb not null default '{"enabled": false, "test_numbers": []}',
  general_config jsonb not null default '{"include_operator_name_on_message": false}',
  coexistence_enabled boolean not null default false,
  -- When the network reported the value of coexistence. Its reports may arrive in any order, and the newest one counts.
  coexistence_told_at timestamptz(3),
  process_unsupported_messages boolean not null default false,
  disable_inbound_ai boolean not null default false,
  pdf_local_text_extraction boolean not null default false,
  -- The network's name for this inbox (a phone_number_id) and for its account (a waba_id).
  network_address text collate "C",
  network_account text collate "C",
  connection_status text not null default 'PENDING' check (connection_status in ('PENDING', 'CONNECTED', 'ERROR')),
  connection_checked_at timestamptz(3),
  connection_error text,
  -- Raised when the credentials change. A result of the network's check for an earlier version is ignored.
  connection_version integer not null default 0,
  -- When the network first accepted the credentials for this address. Nothing is received before.
  accepted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint inboxes_default_agent_ref foreign key (company_id, default_agent) references agents,
  constraint inboxes_default_owner_ref foreign key (company_id, default_owner) references users
);
-- Only one ACTIVE inbox of the whole installation owns a network number; this index makes sure of it.
create unique index inboxes_network_address_key on inboxes (channel, network_address) where status = 'ACTIVE';
create index inboxes_network_account on inboxes (channel, network_account) where status = 'ACTIVE';
create index inboxes_list on inboxes (company_id, created_at desc, _id desc);
call tenant_table('inboxes');
