-- All fields of companies, users who are invited, and three tables that every write may use: the audit, the Idempotency-Keys, and the
-- tokens of mailed links.

alter table companies
  add column description text,
  add column domains text[] not null default '{}',
  add column site text,
  add column general_config jsonb not null default '{"language": "pt-BR", "time_zone": "America/Sao_Paulo"}',
  add column agent_builder_mcp_enabled boolean not null default false,
  add column client_mcp_servers_enabled boolean not null default false,
  add column auto_join_enabled boolean not null default false,
  add column subscription jsonb not null default '{}',
  add column document_type text,
  add column document_number text,
  add column payment_customer_id text,
  add column billing_external boolean not null default false,
  add column billing_partner boolean not null default false,
  add column onboarding jsonb not null default '{}',
  add column attribution jsonb not null default '{}';
alter table companies
  add constraint companies_document_type_check check (document_type in ('CPF', 'CNPJ', 'OTHER')) not valid;

-- The fields of an agent that its company sees.
alter table agents
  add column type text not null default 'AI',
  add column url text,
  add column specialist_url text;
alter table agents add constraint agents_type_check check (type in ('AI', 'EXTERNAL')) not valid;

-- INVITED means that the user has not set a password yet.
alter table users drop constraint users_status_check;
alter table users add constraint users_status_check check (status in ('ACTIVE', 'INVITED', 'INACTIVE')) not valid;

-- When a user is deleted, the records of this user have no owner.
alter table inboxes drop constraint inboxes_default_owner_ref;
alter table inboxes add constraint inboxes_default_owner_ref foreign key (company_id, default_owner) references users
  on delete set null (default_owner) not valid;
alter table contacts drop constraint contacts_owner_ref;
alter table contacts add constraint contacts_owner_ref foreign key (company_id, owner_id) references users
  on delete set null (owner_id) not valid;
alter table conversations drop constraint conversations_owner_ref, drop constraint conversations_attendant_ref;
alter table conversations
  add constraint conversations_owner_ref foreign key (company_id, owner_id) references users
    on delete set null (owner_id) not valid,
  add constraint conversations_attendant_ref foreign key (company_id, attendant_id) references users
    on delete set null (attendant_id) not valid;

-- Links in mails. The token itself is only in the mail. A request with the token names no company, so the token's hash is the primary key.
create table password_tokens (
  token_hash bytea primary key,
  company_id text collate "C" not null references companies,
  user_id text collate "C" not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  foreign key (company_id, user_id) references users on delete cascade
);
create index password_tokens_user on password_tokens (company_id, user_id);
create index password_tokens_age on password_tokens (expires_at);
call tenant_table('password_tokens');

-- The audit: who did what to which record, and from where. It has names of fields, but never their values. An entry without a company is
-- about the installation itself: its companies and global keys.
create table audit_log (
  _id text collate "C" primary key,
  company_id text collate "C" references companies,
  actor_type text not null check (actor_type in ('USER', 'KEY', 'SYSTEM')),
  actor_id text collate "C",
  actor_name text not null,
  action text not null,
  resource text not null,
  resource_id text collate "C",
  fields text[] not null default '{}',
  address text,
  user_agent text,
  request_id text,
  created_at timestamptz(3) not null default now()
);
create index audit_log_list on audit_log (company_id, created_at desc, _id desc);
create index audit_log_actor on audit_log (company_id, actor_id, created_at desc, _id desc);
create index audit_log_resource on audit_log (company_id, resource_id, created_at desc, _id desc);
-- Only the deletion of old entries needs this index, for all companies. A B-tree on the time would also fit the list of one company, and
-- PostgreSQL might use it there and walk through the entries of all other companies.
create index audit_log_age on audit_log using brin (created_at) with (pages_per_range = 32, autosummarize = on);
call tenant_table('audit_log');
-- Entries of the audit are never changed. Only the system role deletes them, because of their age.
revoke update, delete on audit_log from parley_app;
revoke update on audit_log from parley_system;

-- Requests with an Idempotency-Key: which attempt runs the request now, and which record the request created. The company is null for
-- operations on companies and global keys.
create table idempotency_keys (
  company_id text collate "C" references companies,
  principal_id text collate "C" not null,
  key text collate "C" not null,
  fingerprint bytea not null,
  attempt text collate "C" not null,
  -- Null once the request has ended.
  running_until timestamptz(3),
  -- Set in the transaction that stores the record.
  resource_id text collate "C",
  status_code integer,
  created_at timestamptz(3) not null default now()
);
create unique index idempotency_keys_key on idempotency_keys (company_id, principal_id, key) nulls not distinct;
create index idempotency_keys_age on idempotency_keys (created_at);
call tenant_table('idempotency_keys');
