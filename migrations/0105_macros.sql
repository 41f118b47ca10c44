-- Actions that people make on a conversation with one click. A shared macro has no owner; a personal one belongs to a user.
create table macros (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  owner_id text collate "C",
  actions jsonb not null,
  record_bytes integer not null generated always as (octet_length(name) + octet_length(actions::text) + 300) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, owner_id) references users on delete cascade
);
create index macros_list on macros (company_id, created_at desc, _id desc);
create index macros_updated on macros (company_id, updated_at desc, _id desc);
create index macros_owner on macros (company_id, owner_id) where owner_id is not null;
call tenant_table('macros');
