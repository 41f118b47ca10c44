create or replace trigger inserted after insert on scheduled_messages referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on scheduled_messages referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on scheduled_messages for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();

create or replace trigger noted_insert after insert on scheduled_messages referencing new table as written
  for each statement execute function note_changes('scheduled_messages');

-- A worker that takes a message or renews its hold on it changes nothing that the record shows.
create or replace function note_scheduled_message() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select l.company_id, 'scheduled_messages', array[new._id] from live_companies l
    where l.company_id = new.company_id and l.noted_until > now();
  return null;
end
$$;
create or replace trigger noted_update after update on scheduled_messages for each row
  when (old.updated_at <> new.updated_at or old.status <> new.status) execute function note_scheduled_message();
