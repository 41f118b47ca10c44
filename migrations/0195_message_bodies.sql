-- The whole text of a mail whose message shows only a part of it: what the person wrote, without quoted mails and signature.
create table message_bodies (
  company_id text collate "C" not null references companies,
  -- The id of the message.
  _id text collate "C" not null,
  content text not null,
  record_bytes integer not null generated always as (octet_length(content) + 100) stored,
  primary key (company_id, _id),
  foreign key (company_id, _id) references messages on delete cascade
);
call tenant_table('message_bodies');
create trigger inserted after insert on message_bodies referencing new table as written
  for each statement execute function count_inserted();
create trigger deleted after delete on message_bodies referencing old table as gone
  for each statement execute function count_deleted();
