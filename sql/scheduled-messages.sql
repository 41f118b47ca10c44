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
  if is_notified(new.company_id, new.actor ->> 'id', 'NOT_SENT')
    and sees_conversation(new.company_id, new.conversation_id, new.actor ->> 'id') then
    perform raise_notification(new.company_id, new.actor ->> 'id', 'NOT_SENT', new.conversation_id, new.message_id, null, true);
  end if;
  return null;
end
$$;
create or replace trigger notified_not_sent after update of status on scheduled_messages for each row
  when (new.status = 'FAILED' and old.status <> 'FAILED' and new.actor ->> 'type' = 'user') execute function notify_not_sent();
