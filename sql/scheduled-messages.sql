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
