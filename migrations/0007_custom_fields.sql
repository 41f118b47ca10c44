-- The fields that a company adds to its contacts, conversations and businesses.

create table custom_fields (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  slug text not null,
  title text not null,
  context text not null check (context in ('contact', 'conversation', 'business')),
  type text not null default 'TEXT',
  options text[] not null default '{}',
  description text,
  record_bytes integer not null generated always as (
    500 + json_bytes(title || coalesce(description, '')) + json_bytes(options)
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint custom_fields_type_check check (type in ('TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'SELECT', 'LIST'))
);
create unique index custom_fields_slug_key on custom_fields (company_id, context, slug);
create index custom_fields_list on custom_fields (company_id, created_at desc, _id desc);
call tenant_table('custom_fields');
call counted_table('custom_fields');

-- Returns a record's custom fields as the API shows them. Most records have none, and then nothing is looked up.
create function custom_field_values(company text, held jsonb) returns json
language sql stable as $$
  select case when held = '{}' then '[]'::json else (
    select coalesce(json_agg(json_build_object('_id', f._id, 'slug', f.slug, 'title', f.title, 'value', v.value) order by f.slug), '[]')
    from jsonb_each(held) v join custom_fields f on f.company_id = company and f._id = v.key
  ) end
$$;
