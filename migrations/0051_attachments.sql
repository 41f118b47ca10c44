-- Files of companies. What a file consists of is in the store of files (a folder or a bucket) under its storage key.
set local lock_timeout = '2s';

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
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- The file counts to what its company stores.
  record_bytes integer not null generated always as (
    1000 + json_bytes(file_name) + octet_length(facts::text) + coalesce(bytes, 0)
  ) stored,
  primary key (company_id, _id),
  check (state <> 'READY' or (bytes is not null and sha256 is not null))
);
create unique index attachments_storage_key on attachments (company_id, storage_key);
create unique index attachments_link on attachments (company_id, link);
create index attachments_list on attachments (company_id, created_at desc, _id desc);
create index attachments_updated on attachments (company_id, updated_at desc, _id desc);
create index attachments_type on attachments (company_id, file_type, created_at desc, _id desc);
call tenant_table('attachments');

create trigger inserted after insert on attachments
  referencing new table as written for each statement execute function count_inserted();
create trigger deleted after delete on attachments
  referencing old table as gone for each statement execute function count_deleted();
-- An update brings the file of a record that was accepted before, as the quota lets everything in that the networks bring.
create trigger updated after update of record_bytes on attachments
  for each row when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();


-- While a message names an attachment, the attachment can not be removed. No version before this one wrote the column.
alter table messages add constraint messages_attachment_ref foreign key (company_id, attachment_id) references attachments not valid;
