-- The files that contacts send. A message and the record of its file are stored at once; workers then download the file.
set local lock_timeout = '2s';

-- True for a file that a network brought with a message. It goes with its message.
-- squawk-ignore adding-field-with-default
alter table attachments add column is_brought boolean not null default false;

create table media_downloads (
  company_id text collate "C" not null references companies,
  attachment_id text collate "C" not null,
  message_id text collate "C" not null,
  inbox_id text collate "C" not null,
  -- The order in which the files of a company are downloaded.
  seq bigint not null generated always as identity,
  -- WAITING for a worker · RUNNING: a worker downloads the file · RESTING: waits for its next try. What is settled has no row any more.
  state text not null default 'WAITING' check (state in ('WAITING', 'RUNNING', 'RESTING')),
  -- Rises with each claim, so that a worker that has lost its claim changes nothing.
  turn integer not null default 0,
  failures integer not null default 0,
  -- When a RESTING file waits again, and when a RUNNING one does unless its worker renews its claim.
  due_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (company_id, attachment_id),
  foreign key (company_id, attachment_id) references attachments on delete cascade,
  foreign key (company_id, message_id) references messages on delete cascade,
  foreign key (company_id, inbox_id) references inboxes
);
create index media_downloads_message on media_downloads (company_id, message_id);
create index media_downloads_inbox on media_downloads (company_id, inbox_id);
create index media_downloads_waiting on media_downloads (company_id, seq) where state = 'WAITING';
create index media_downloads_due on media_downloads (due_at) where state <> 'WAITING';
call tenant_table('media_downloads');

-- When the last downloads of a number failed. A network that sees too many failures refuses all downloads of the number for a while.
create table media_failures (
  company_id text collate "C" not null references companies,
  inbox_id text collate "C" not null,
  -- The last ten times, the oldest first.
  failed_at timestamptz(3)[] not null,
  primary key (company_id, inbox_id),
  foreign key (company_id, inbox_id) references inboxes
);
call tenant_table('media_failures');

-- A contact who is erased is erased with the files that they have sent, and a message that they take back goes with its file. A file that
-- was sent on stays with its other message. A sweep removes the files from the store once no record names them.
create function remove_brought(company text, ids text[]) returns void language plpgsql as $$
begin
  -- A send locks the attachment that it names, so after this statement the next one sees the message of the send.
  perform from attachments where company_id = company and _id = any(ids) and is_brought order by _id for update;
  delete from attachments a where a.company_id = company and a._id = any(ids) and a.is_brought
    and not exists (select from messages m where m.company_id = company and m.attachment_id = a._id);
end
$$;

create function remove_deleted_files() returns trigger language plpgsql as $$
begin
  perform remove_brought(company_id, array_agg(attachment_id)) from gone where attachment_id is not null group by company_id;
  return null;
end
$$;
create trigger brought_deleted after delete on messages referencing old table as gone
  for each statement execute function remove_deleted_files();

create function remove_replaced_file() returns trigger language plpgsql as $$
begin
  perform remove_brought(old.company_id, array[old.attachment_id]);
  return null;
end
$$;
create trigger brought_replaced after update of attachment_id on messages for each row
  when (old.attachment_id is not null and old.attachment_id is distinct from new.attachment_id) execute function remove_replaced_file();
