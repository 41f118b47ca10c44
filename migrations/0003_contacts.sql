create table custom_fields (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  slug text not null,
  title text not null,
  context text not null check (context in ('contact', 'conversation', 'business')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create unique index custom_fields_slug_key on custom_fields (company_id, context, slug);
call tenant_table('custom_fields');

-- Returns a record's custom fields as the API shows them. Most records have none, and then nothing is looked up.
create function custom_field_values(company text, held jsonb) returns json
language sql stable as $$
  select case when held = '{}' then '[]'::json else (
    select coalesce(json_agg(json_build_object('_id', f._id, 'slug', f.slug, 'title', f.title, 'value', v.value) order by f.slug), '[]')
    from jsonb_each(held) v join custom_fields f on f.company_id = company and f._id = v.key
  ) end
$$;

create table contacts (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text,
  email text,
  phone_number text,
  country_code text,
  professional_network_identifier text,
  external_id text,
  avatar_url text,
  language text,
  tags text[] not null default '{}',
  business_id text collate "C",
  -- {custom field id: typed value}
  custom_fields jsonb not null default '{}',
  owner_id text collate "C",
  opted_out boolean not null default false,
  blocked boolean not null default false,
  source text not null check (source in ('API', 'INBOUND', 'IMPORT', 'CAMPAIGN', 'DASHBOARD', 'WIDGET')),
  last_inbound_at timestamptz(3),
  last_message_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint contacts_owner_ref foreign key (company_id, owner_id) references users
)
with (fillfactor = 80);
call tenant_table('contacts');

-- The names by which channels know people. The primary key makes a person unique, even when two first messages arrive at the same moment.
create table contact_identities (
  company_id text collate "C" not null references companies,
  kind text not null check (kind in ('PHONE', 'BSUID', 'EMAIL', 'NETWORK', 'VISITOR', 'EXTERNAL')),
  -- For PHONE: the digits in the form that all spellings of one person's number share (with the Brazilian ninth digit).
  value text collate "C" not null,
  contact_id text collate "C" not null,
  -- The name as the network writes it. Messages are sent to it.
  address text not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, kind, value),
  foreign key (company_id, contact_id) references contacts on delete cascade
);
create index contact_identities_contact on contact_identities (company_id, contact_id);
call tenant_table('contact_identities');
