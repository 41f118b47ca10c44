-- What the statuses of a message change is in no index of messages, so a status writes only the new version of its row (a HOT update). The
-- lists by change, the messages without an outcome and the last acceptance of an inbox have these narrow tables instead.

create table message_activity (
  -- Without foreign keys, like message_search: the triggers of messages write these rows, and each key would be checked for each status.
  company_id text collate "C" not null,
  _id text collate "C" not null,
  inbox_id text collate "C" not null,
  updated_at timestamptz(3) not null,
  -- When a QUEUED message was stored; null for all others.
  queued_at timestamptz(3),
  -- The order of the list. It ascends, because an index that grows at its end fills its pages.
  primary key (company_id, updated_at, _id)
);
-- The messages whose outcome a later status or the limit of 24 hours decides. One job looks for them in all companies.
create index message_activity_queued on message_activity (queued_at) where queued_at is not null;
call tenant_table('message_activity');

-- When the network has accepted messages of an inbox: a row a second at most for each session that writes, so no message waits for another.
-- All but the last one are deleted daily.
create table inbox_acceptances (
  company_id text collate "C" not null,
  inbox_id text collate "C" not null,
  at timestamptz(3) not null,
  session integer not null default pg_backend_pid(),
  primary key (company_id, inbox_id, at, session)
);
call tenant_table('inbox_acceptances');

-- The triggers of sql/messages.sql, which write every message from now on. 0051_messages_activity.concurrent.sql adds the earlier ones.

-- Triggers write message_activity, so no code can forget it. A message is found there by its whole key, which leaves the planner no choice.
create function begin_message_activity() returns trigger
language plpgsql as $$
begin
  insert into message_activity (company_id, _id, inbox_id, updated_at, queued_at)
    select company_id, _id, inbox_id, updated_at, case when status = 'QUEUED' then created_at end from added;
  return null;
end
$$;
create trigger messages_activity_begins after insert on messages
  referencing new table as added for each statement execute function begin_message_activity();

create function move_message_activity() returns trigger
language plpgsql as $$
begin
  delete from message_activity a using gone where a.company_id = gone.company_id and a.updated_at = gone.updated_at and a._id = gone._id;
  insert into message_activity (company_id, _id, inbox_id, updated_at, queued_at)
    select company_id, _id, inbox_id, updated_at, case when status = 'QUEUED' then created_at end from added;
  return null;
end
$$;
create trigger messages_activity_moves after update on messages
  referencing old table as gone new table as added for each statement execute function move_message_activity();

create function end_message_activity() returns trigger
language plpgsql as $$
begin
  delete from message_activity a using gone where a.company_id = gone.company_id and a.updated_at = gone.updated_at and a._id = gone._id;
  return null;
end
$$;
create trigger messages_activity_ends after delete on messages
  referencing old table as gone for each statement execute function end_message_activity();

-- Notes when the network has accepted a message of an inbox, unless the last second is noted already.
create function note_acceptance() returns trigger
language plpgsql as $$
begin
  insert into inbox_acceptances (company_id, inbox_id, at)
    select new.company_id, new.inbox_id, new.sent_at where not exists (
      select from inbox_acceptances where company_id = new.company_id and inbox_id = new.inbox_id and at > new.sent_at - interval '1 second')
    on conflict do nothing;
  return null;
end
$$;
create trigger acceptance_inserted after insert on messages for each row
  when (new.message_type = 'OUTGOING' and new.sent_at is not null) execute function note_acceptance();
create trigger acceptance_updated after update of sent_at on messages for each row
  when (new.message_type = 'OUTGOING' and old.sent_at is null and new.sent_at is not null) execute function note_acceptance();
