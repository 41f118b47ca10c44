-- When something was last said moves with each message, and messages are stored many at a time: the rows beside their contacts and
-- conversations are moved by one statement for all of them, and no longer one by one.
set local lock_timeout = '2s';

-- Every change of a record comes here; only those that move it write.
create or replace function move_contact_activity() returns trigger
language plpgsql as $$
begin
  update contact_activity a set active_at = coalesce(c.last_message_at, '-infinity') from changed c
    where a.company_id = c.company_id and a.record_id = c._id and a.active_at <> coalesce(c.last_message_at, '-infinity');
  return null;
end
$$;
drop trigger contacts_activity_moves on contacts;
create trigger contacts_activity_moves after update on contacts
  referencing new table as changed for each statement execute function move_contact_activity();

create or replace function move_conversation_activity() returns trigger
language plpgsql as $$
begin
  update conversation_activity a set active_at = coalesce(v.last_message_at, '-infinity'), status = v.status from changed v
    where a.company_id = v.company_id and a.record_id = v._id
      and (a.active_at <> coalesce(v.last_message_at, '-infinity') or a.status <> v.status);
  return null;
end
$$;
drop trigger conversations_activity_moves on conversations;
create trigger conversations_activity_moves after update on conversations
  referencing new table as changed for each statement execute function move_conversation_activity();
