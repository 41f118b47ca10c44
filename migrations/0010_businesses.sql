-- The companies that contacts belong to.

create table businesses (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  domain text,
  description text,
  -- {custom field id: typed value}
  custom_fields jsonb not null default '{}',
  owner_id text collate "C",
  -- A business is hidden from everybody as soon as this is set. A job then removes it from all contacts and table rows that name it, which
  -- may be very many, and deletes it when no record is left.
  removed_at timestamptz(3),
  record_bytes integer not null generated always as (
    500 + json_bytes(name || coalesce(domain, '') || coalesce(description, ''))
    + case when custom_fields = '{}' then 0 else octet_length(custom_fields::text) end
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint businesses_owner_ref foreign key (company_id, owner_id) references users on delete set null (owner_id)
)
with (fillfactor = 80);
create index businesses_list on businesses (company_id, created_at desc, _id desc);
create index businesses_owner on businesses (company_id, owner_id) where owner_id is not null;
create index businesses_updated on businesses (company_id, updated_at desc, _id desc);
call tenant_table('businesses');
call counted_table('businesses');
