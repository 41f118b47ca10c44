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
call tenant_table('audit_log');
-- Entries of the audit are never changed. Only the system role deletes them, because of their age.
revoke update, delete on audit_log from parley_app;
revoke update on audit_log from parley_system;
