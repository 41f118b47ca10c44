-- What an inbox has received and nobody could read, so that its company can see that something is missing. The row of callbacks_aside with
-- the same id has the content, which only the system may read.
create table unreadable_items (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  inbox_id text collate "C" not null,
  reason text not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint unreadable_items_inbox_ref foreign key (company_id, inbox_id) references inboxes on delete cascade
);
create index unreadable_items_list on unreadable_items (company_id, inbox_id, created_at desc);
create index unreadable_items_age on unreadable_items (created_at);
call tenant_table('unreadable_items');
