-- The time of the last message changes with each message, and messages are stored many at a time. So one statement now updates all rows of
-- contact_activity and conversation_activity, and no longer a trigger for each row.
set local lock_timeout = '2s';

-- This runs at every change of a contact, but it writes only when the change moves the contact in the list.
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
