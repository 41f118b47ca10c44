-- Tables that companies define, and their rows.

-- The search finds table rows by parts of their values in any column.
create function values_text(data jsonb) returns text
language sql immutable parallel safe
-- Each item of a list is a value of its own. The control character that separates two values occurs in no value and in no search, so no
-- search matches across two values.
return (select string_agg(translate(value #>> '{}', chr(31), chr(30)), chr(31)) from jsonb_path_query(data, '$.*[*]') value);

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
  -- A table is hidden from everybody as soon as this is set. A job then erases its rows.
  removed_at timestamptz(3),
  record_bytes integer not null generated always as (
    500 + json_bytes(name || coalesce(description, '')) + octet_length(columns::text)
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
)
with (fillfactor = 50);
create unique index tables_slug_key on tables (company_id, slug);
create index tables_list on tables (company_id, created_at desc, _id desc);
create index tables_updated on tables (company_id, updated_at desc, _id desc);
call tenant_table('tables');
call counted_table('tables');

create table table_rows (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  table_id text collate "C" not null,
  row_index integer not null,
  -- {column key: typed value}
  data jsonb not null default '{}',
  contact_id text collate "C",
  business_id text collate "C",
  -- Agents read rows that belong to nobody, but not those whose contact or business was removed: they are about somebody else.
  lost_owner boolean not null default false,
  folded text generated always as (fold(values_text(data))) stored,
  record_bytes integer not null generated always as (400 + octet_length(data::text)) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, table_id) references tables on delete cascade,
  constraint table_rows_contact_id_ref foreign key (company_id, contact_id) references contacts on delete set null (contact_id),
  constraint table_rows_business_id_ref foreign key (company_id, business_id) references businesses on delete set null (business_id)
)
with (fillfactor = 80);
create unique index table_rows_index_key on table_rows (company_id, table_id, row_index);
create index table_rows_list on table_rows (company_id, table_id, created_at desc, _id desc);
create index table_rows_contact on table_rows (company_id, contact_id) where contact_id is not null;
create index table_rows_business on table_rows (company_id, business_id) where business_id is not null;
-- Each look-up reads through the pending list of this index, so the list is limited to half a megabyte.
create index table_rows_search on table_rows using gin (company_id, table_id, folded gin_trgm_ops, pair_mark(folded))
with (gin_pending_list_limit = 512);
create index table_rows_updated on table_rows (company_id, table_id, updated_at desc, _id desc);
call tenant_table('table_rows');
call counted_table('table_rows');

create function note_lost_owner() returns trigger
  language plpgsql set search_path from current as $$
begin
  new.lost_owner := new.contact_id is null
    and (old.lost_owner or old.contact_id is not null or (old.business_id is not null and new.business_id is null));
  return new;
end
$$;
create trigger lost_owner before update of contact_id, business_id on table_rows
  for each row when ((old.contact_id, old.business_id) is distinct from (new.contact_id, new.business_id))
  execute function note_lost_owner();
