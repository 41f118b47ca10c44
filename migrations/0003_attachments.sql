-- Files: those that people upload, and those that networks bring.

create table attachments (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  file_type text not null check (file_type in ('IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT', 'STICKER')),
  extension text not null,
  mime_type text not null,
  file_name text not null,
  storage_key text collate "C" not null,
  -- The secret part of the permanent public link.
  link text collate "C" not null,
  -- PENDING: the record is there before its file, which a network still has to hand out. FAILED: the file will never come.
  state text not null default 'READY' check (state in ('READY', 'PENDING', 'FAILED')),
  -- Why the file can not be had, for whoever opens its link.
  failure text,
  bytes integer,
  sha256 text,
  -- {width, height, duration, codecs, animated}: what was measured of the file.
  facts jsonb not null default '{}',
  -- True for a file that a network brought with a message. It goes with its message.
  is_brought boolean not null default false,
  -- The file counts to what its company stores.
  record_bytes integer not null generated always as (
    1000 + json_bytes(file_name) + octet_length(facts::text) + coalesce(bytes, 0)
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  check (state <> 'READY' or (bytes is not null and sha256 is not null))
);
create unique index attachments_storage_key on attachments (company_id, storage_key);
create unique index attachments_link on attachments (company_id, link);
create index attachments_list on attachments (company_id, created_at desc, _id desc);
create index attachments_updated on attachments (company_id, updated_at desc, _id desc);
create index attachments_type on attachments (company_id, file_type, created_at desc, _id desc);
call tenant_table('attachments');
call counted_table('attachments', updates => 'UNBOUNDED');

-- Files that the platform makes of the file of an attachment. They count to what the company stores, and go with their attachment.
create table attachment_copies (
  company_id text collate "C" not null references companies,
  attachment_id text collate "C" not null,
  -- CONVERTED: the same in a format that networks take.
  kind text not null check (kind in ('CONVERTED', 'THUMBNAIL')),
  storage_key text collate "C" not null,
  -- The secret part of the permanent public link.
  link text collate "C" not null,
  extension text not null,
  mime_type text not null,
  bytes integer not null,
  sha256 text not null,
  -- As in attachments.
  facts jsonb not null,
  record_bytes integer not null generated always as (500 + bytes) stored,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, attachment_id, kind),
  foreign key (company_id, attachment_id) references attachments on delete cascade
);
create unique index attachment_copies_storage_key on attachment_copies (company_id, storage_key);
create unique index attachment_copies_link on attachment_copies (company_id, link);
call tenant_table('attachment_copies');
call counted_table('attachment_copies', inserts => 'UNBOUNDED', updates => 'UNCOUNTED');

-- A file that somebody uploaded as their picture goes with it, as that of a contact goes with its message.
create function remove_brought(company text, ids text[]) returns void language plpgsql as $$
begin
  -- Whoever names an attachment locks it, so after this statement the next one sees the record that does.
  perform from attachments where company_id = company and _id = any(ids) and is_brought order by _id for update;
  delete from attachments a where a.company_id = company and a._id = any(ids) and a.is_brought
    and not exists (select from messages m where m.company_id = company and m.attachment_id = a._id)
    and not exists (select from message_cards c where c.company_id = company and c.attachment_id = a._id)
    and not exists (select from quick_replies q where q.company_id = company and q.attachment_id = a._id)
    and not exists (select from knowledge_items k where k.company_id = company and k.attachment_id = a._id)
    and not exists (select from campaign_files f where f.company_id = company and f.attachment_id = a._id)
    and not exists (select from users u where u.company_id = company and u.picture_id = a._id);
end
$$;
