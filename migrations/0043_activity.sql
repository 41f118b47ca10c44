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

create table conversation_activity (
  company_id text collate "C" not null references companies,
  record_id text collate "C" not null,
  active_at timestamptz(3) not null,
  -- The lists are also read by status, because closed conversations are far from the beginning and would be found only after a long walk
  -- through all others.
  status text not null,
  primary key (company_id, record_id),
  foreign key (company_id, record_id) references conversations on delete cascade
);
create index conversation_activity_list on conversation_activity (company_id, active_at desc, record_id desc);
create index conversation_activity_status on conversation_activity (company_id, status, active_at desc, record_id desc);
call tenant_table('conversation_activity');

-- Triggers of the database write these rows, so no code can forget them.
create function begin_contact_activity() returns trigger
language plpgsql as $$
begin
  insert into contact_activity (company_id, record_id, active_at)
    select company_id, _id, coalesce(last_message_at, '-infinity') from added;
  return null;
end
$$;
create function move_contact_activity() returns trigger
language plpgsql as $$
begin
  update contact_activity set active_at = coalesce(new.last_message_at, '-infinity')
    where company_id = new.company_id and record_id = new._id;
  return null;
end
$$;
create trigger contacts_activity_begins after insert on contacts
  referencing new table as added for each statement execute function begin_contact_activity();
create trigger contacts_activity_moves after update of last_message_at on contacts
  for each row when (new.last_message_at is distinct from old.last_message_at) execute function move_contact_activity();

create function begin_conversation_activity() returns trigger
language plpgsql as $$
begin
  insert into conversation_activity (company_id, record_id, active_at, status)
    select company_id, _id, coalesce(last_message_at, '-infinity'), status from added;
  return null;
end
$$;
create function move_conversation_activity() returns trigger
language plpgsql as $$
begin
  update conversation_activity set active_at = coalesce(new.last_message_at, '-infinity'), status = new.status
    where company_id = new.company_id and record_id = new._id;
  return null;
end
$$;
create trigger conversations_activity_begins after insert on conversations
  referencing new table as added for each statement execute function begin_conversation_activity();
create trigger conversations_activity_moves after update of last_message_at, status on conversations
  for each row when (new.last_message_at is distinct from old.last_message_at or new.status <> old.status)
  execute function move_conversation_activity();

set local role parley_system;
insert into contact_activity select company_id, _id, coalesce(last_message_at, '-infinity') from contacts;
insert into conversation_activity select company_id, _id, coalesce(last_message_at, '-infinity'), status from conversations;
reset role;
