create or replace trigger inserted after insert on scheduled_messages referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on scheduled_messages referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on scheduled_messages for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();

create or replace trigger noted_insert after insert on scheduled_messages referencing new table as written
  for each statement execute function note_changes('scheduled_messages');

create or replace trigger noted_update after update on scheduled_messages for each row
  when (old.updated_at <> new.updated_at or old.status <> new.status) execute function note_change('scheduled_messages');

-- Notifies the author of a scheduled or held message that it will not be sent. The platform tells them, so there is no actor.
create or replace function notify_not_sent() returns trigger
language plpgsql as $$
begin
  if not is_notified(new.company_id, new.actor ->> 'id', 'NOT_SENT') then return null; end if;
  insert into notifications as n (company_id, _id, user_id, kind, conversation_id, message_id)
    values (new.company_id, new_id(), new.actor ->> 'id', 'NOT_SENT', new.conversation_id, new.message_id)
    on conflict (company_id, user_id, kind, conversation_id) where read_at is null do update
      set count = n.count + 1, message_id = excluded.message_id, created_at = now(), updated_at = now();
  return null;
end
$$;
create or replace trigger notified_not_sent after update of status on scheduled_messages for each row
  when (new.status = 'FAILED' and old.status <> 'FAILED' and new.actor ->> 'type' = 'user') execute function notify_not_sent();
