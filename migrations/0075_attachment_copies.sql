-- Files that the platform makes of the file of an attachment. They count to what the company stores, and go with their attachment.
create table attachment_copies (
  company_id text collate "C" not null references companies,
  attachment_id text collate "C" not null,
  -- CONVERTED: the same in a format that networks take.
  kind text not null check (kind in ('CONVERTED')),
  storage_key text collate "C" not null,
  -- The secret part of the permanent public link.
  link text collate "C" not null,
  extension text not null,
  mime_type text not null,
  bytes integer not null,
  sha256 text not null,
  -- As in attachments.
  facts jsonb not null,
  created_at timestamptz(3) not null default now(),
  record_bytes integer not null generated always as (500 + bytes) stored,
  primary key (company_id, attachment_id, kind),
  foreign key (company_id, attachment_id) references attachments on delete cascade
);
create unique index attachment_copies_storage_key on attachment_copies (company_id, storage_key);
create unique index attachment_copies_link on attachment_copies (company_id, link);
call tenant_table('attachment_copies');

-- The quota has accepted the file of which the copy is made, and refuses the message for which it is made, if necessary.
create trigger inserted after insert on attachment_copies
  referencing new table as written for each statement execute function count_inserted_unbounded();
create trigger deleted after delete on attachment_copies
  referencing old table as gone for each statement execute function count_deleted();
