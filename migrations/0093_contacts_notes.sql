-- What users and keys have noted about a contact.
create table contact_notes (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  contact_id text collate "C" not null,
  content text not null,
  -- The user, key or agent that wrote the note, with its name at that time.
  author_type text not null,
  author_id text collate "C" not null,
  author_name text not null,
  record_bytes integer not null generated always as (octet_length(content) + octet_length(author_name) + 300) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, contact_id) references contacts on delete cascade
);
create index contact_notes_list on contact_notes (company_id, contact_id, created_at desc, _id desc);
create index contact_notes_updated on contact_notes (company_id, contact_id, updated_at desc, _id desc);
call tenant_table('contact_notes');
