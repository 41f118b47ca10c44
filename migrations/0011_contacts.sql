-- People, the names by which networks know them, and the order of their list.

-- Returns further properties by which contacts are filtered: the names of the fields that have a value, of the fields that have none, and
-- whether the name or the e-mail has letters beyond ASCII, which few have once they are folded. They are an array, because the planner has
-- statistics about the items of an array.
create function contact_marks(name text, email text, phone_number text, professional_network_identifier text, folded text)
returns text[]
language sql immutable parallel safe
return array[
  case when coalesce(name, '') > '' then '+name' else '-name' end,
  case when coalesce(email, '') > '' then '+email' else '-email' end,
  case when coalesce(phone_number, '') > '' then '+phone_number' else '-phone_number' end,
  case when coalesce(professional_network_identifier, '') > '' then '+professional_network_identifier'
    else '-professional_network_identifier' end,
  case when octet_length(folded) > char_length(folded) then '+letters' else '-letters' end
];

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
  -- When the person told the network whether they want messages. Callbacks arrive in any order, so only the newest choice counts.
  opted_out_told_at timestamptz(3),
  folded_name text generated always as (fold(name)) stored,
  folded_email text generated always as (fold(email)) stored,
  record_bytes integer not null generated always as (
    1000 + json_bytes(coalesce(name, '') || coalesce(email, '') || coalesce(professional_network_identifier, '')
      || coalesce(external_id, '') || coalesce(avatar_url, '') || coalesce(language, ''))
    + case when tags = '{}' then 0 else json_bytes(tags) end
    + case when custom_fields = '{}' then 0 else octet_length(custom_fields::text) end
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint contacts_owner_ref foreign key (company_id, owner_id) references users on delete set null (owner_id),
  constraint contacts_business_ref foreign key (company_id, business_id) references businesses on delete set null (business_id)
)
with (fillfactor = 80);
create index contacts_owner on contacts (company_id, owner_id, created_at desc, _id desc) where owner_id is not null;
create index contacts_business on contacts (company_id, business_id, created_at desc, _id desc) where business_id is not null;
-- This index has the order of the list.
create index contacts_list on contacts (company_id, created_at desc, _id desc);
-- One index holds everything that a search or a filter looks for, so an insert adds to a single pending list. Each look-up reads through
-- that list, so it is limited to half a megabyte. Without the list, inserts take twice as long.
create index contacts_search on contacts using gin (
  company_id, folded_name gin_trgm_ops, folded_email gin_trgm_ops, phone_number gin_trgm_ops,
  lower(professional_network_identifier) gin_trgm_ops, coalesce(lower(country_code), ''),
  contact_marks(name, email, phone_number, professional_network_identifier, coalesce(folded_name, '') || coalesce(folded_email, '')), (lower(custom_fields::text)::jsonb) jsonb_path_ops
) with (gin_pending_list_limit = 512);
create index contacts_updated on contacts (company_id, updated_at desc, _id desc);
-- What filters of contacts look up beside contacts_search. Only contacts that have tags or an external id stand in these indexes.
create index contacts_tags on contacts using gin (company_id, lower_items(tags)) with (gin_pending_list_limit = 512)
where tags <> '{}';
create index contacts_external_id on contacts (company_id, lower(external_id)) where external_id is not null;
call tenant_table('contacts');
call counted_table('contacts');

-- The names by which channels know people. The primary key makes a person unique, even when two first messages arrive at the same moment.
create table contact_identities (
  company_id text collate "C" not null references companies,
  kind text not null,
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

-- The body of a delivery contains the id that its contact had at that time. This table finds the bodies of contacts that were merged into
-- another contact since then.
create table absorbed_contacts (
  company_id text collate "C" not null references companies,
  -- The id of the contact that was merged into the other one.
  _id text collate "C" not null,
  contact_id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, contact_id) references contacts on delete cascade
);
create index absorbed_contacts_contact on absorbed_contacts (company_id, contact_id);
call tenant_table('absorbed_contacts');

-- The time of the last message of contacts and conversations, by which their lists are sorted. An index on the records themselves would be
-- written for each message together with all their other indexes. A row of these tables is small and has few columns.
create table contact_activity (
  company_id text collate "C" not null references companies,
  record_id text collate "C" not null,
  -- The time is -infinity before the first message, so that such records come last.
  active_at timestamptz(3) not null,
  primary key (company_id, record_id),
  foreign key (company_id, record_id) references contacts on delete cascade
);
create index contact_activity_list on contact_activity (company_id, active_at desc, record_id desc);
call tenant_table('contact_activity');

-- Triggers of the database write these rows, so no code can forget them.
create function begin_contact_activity() returns trigger
language plpgsql as $$
begin
  insert into contact_activity (company_id, record_id, active_at)
    select company_id, _id, coalesce(last_message_at, '-infinity') from added;
  return null;
end
$$;
create trigger contacts_activity_begins after insert on contacts
  referencing new table as added for each statement execute function begin_contact_activity();

-- This runs at every change of a contact, but it writes only when the change moves the contact in the list.
create function move_contact_activity() returns trigger
language plpgsql as $$
begin
  update contact_activity a set active_at = coalesce(c.last_message_at, '-infinity') from changed c
    where a.company_id = c.company_id and a.record_id = c._id and a.active_at <> coalesce(c.last_message_at, '-infinity');
  return null;
end
$$;
create trigger contacts_activity_moves after update on contacts
  referencing new table as changed for each statement execute function move_contact_activity();
