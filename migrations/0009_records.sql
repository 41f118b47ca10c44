-- The records of a company: typed custom fields, businesses, ordered pipelines, tables with rows, and imports.

alter table custom_fields
  add column type text not null default 'TEXT',
  add column options text[] not null default '{}',
  add column description text;
alter table custom_fields add constraint custom_fields_type_check
  check (type in ('TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'SELECT', 'LIST')) not valid;

create table businesses (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  domain text,
  description text,
  -- {custom field id: typed value}
  custom_fields jsonb not null default '{}',
  owner_id text collate "C",
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint businesses_owner_ref foreign key (company_id, owner_id) references users on delete set null (owner_id)
)
with (fillfactor = 80);
create index businesses_list on businesses (company_id, created_at desc, _id desc);
create index businesses_owner on businesses (company_id, owner_id) where owner_id is not null;
call tenant_table('businesses');

alter table contacts add constraint contacts_business_ref foreign key (company_id, business_id) references businesses
  on delete set null (business_id) not valid;

-- The steps of a pipeline have an order, and each company has one default pipeline.
alter table pipelines add column is_default boolean not null default false;
alter table pipeline_steps
  add column position integer not null default 0,
  add column kind text not null default 'OPEN';
alter table pipeline_steps add constraint pipeline_steps_kind_check check (kind in ('OPEN', 'WON', 'LOST')) not valid;

-- Ids that are made in SQL have the same format as all others: four bytes of time and eight random bytes.
create function new_id() returns text
language sql volatile as $$
  select lpad(to_hex(extract(epoch from clock_timestamp())::bigint), 8, '0') || substr(md5(gen_random_uuid()::text), 1, 16)
$$;

-- Tables that companies define themselves.
create table tables (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  slug text not null,
  description text,
  -- [{key, title, type, required, options}]
  columns jsonb not null default '[]',
  -- Raised in the transaction of each new row and never lowered, so that no index is given twice.
  last_row_index integer not null default 0,
  row_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
)
with (fillfactor = 50);
create unique index tables_slug_key on tables (company_id, slug);
create index tables_list on tables (company_id, created_at desc, _id desc);
call tenant_table('tables');

create table table_rows (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  table_id text collate "C" not null,
  row_index integer not null,
  -- {column key: typed value}
  data jsonb not null default '{}',
  contact_id text collate "C",
  business_id text collate "C",
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, table_id) references tables on delete cascade,
  constraint table_rows_contact_id_ref foreign key (company_id, contact_id) references contacts on delete set null (contact_id),
  constraint table_rows_business_id_ref foreign key (company_id, business_id) references businesses
    on delete set null (business_id)
)
with (fillfactor = 80);
create unique index table_rows_index_key on table_rows (company_id, table_id, row_index);
create index table_rows_list on table_rows (company_id, table_id, created_at desc, _id desc);
create index table_rows_contact on table_rows (company_id, contact_id) where contact_id is not null;
create index table_rows_business on table_rows (company_id, business_id) where business_id is not null;
call tenant_table('table_rows');

-- An import: a sheet that a caller uploaded, and how far the worker has come with it.
create table imports (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  kind text not null check (kind in ('CONTACTS', 'TABLE')),
  table_id text collate "C",
  file_name text not null,
  format text not null check (format in ('CSV', 'XLSX')),
  status text not null default 'QUEUED' check (status in ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED')),
  -- The options of the request: the mapping of columns, silent, and source.
  options jsonb not null default '{}',
  -- The number of rows of the sheet that are done. A worker that takes over continues after them.
  processed integer not null default 0,
  created_count integer not null default 0,
  updated_count integer not null default 0,
  failed_count integer not null default 0,
  -- [{row, field, message}], limited to as many as a person reads.
  row_errors jsonb not null default '[]',
  error jsonb,
  -- The caller who uploaded the sheet. Events and records name the caller as their origin.
  principal jsonb not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, table_id) references tables on delete cascade
);
create index imports_list on imports (company_id, kind, created_at desc, _id desc);
call tenant_table('imports');

-- The sheet itself, in pieces, until its import has ended. It is in the database, because api and worker may run on two machines that share
-- nothing else.
create table import_chunks (
  company_id text collate "C" not null references companies,
  import_id text collate "C" not null,
  position integer not null,
  bytes bytea not null,
  primary key (company_id, import_id, position),
  foreign key (company_id, import_id) references imports on delete cascade
);
call tenant_table('import_chunks');
