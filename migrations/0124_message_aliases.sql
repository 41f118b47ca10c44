-- The ids that networks gave to messages in the place of ours: answers and reports name a message by them.
create table message_aliases (
  company_id text collate "C" not null references companies,
  inbox_id text collate "C" not null,
  alias text collate "C" not null,
  message_id text collate "C" not null,
  primary key (company_id, inbox_id, alias),
  foreign key (company_id, inbox_id) references inboxes,
  foreign key (company_id, message_id) references messages on delete cascade
);
create index message_aliases_message on message_aliases (company_id, message_id);
call tenant_table('message_aliases');
