-- Saved views of the list of conversations. A private one belongs to a user; a shared one may have lost its owner, or have been made by a key.
create table views (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  owner_id text collate "C",
  is_shared boolean not null,
  filters jsonb not null,
  sort text not null,
  position integer not null,
  record_bytes integer not null generated always as (octet_length(name) + octet_length(filters::text) + 300) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, owner_id) references users,
  check (is_shared or owner_id is not null)
);
create unique index views_name_key on views (company_id, (case when is_shared then '' else owner_id end), lower(name));
create index views_list on views (company_id, created_at desc, _id desc);
create index views_updated on views (company_id, updated_at desc, _id desc);
create index views_owner on views (company_id, owner_id) where owner_id is not null;
call tenant_table('views');
