create or replace trigger inserted after insert on import_chunks referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on import_chunks referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on import_chunks for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();

create or replace trigger inserted after insert on import_errors referencing new table as written
  for each statement execute function count_inserted_unbounded();
create or replace trigger deleted after delete on import_errors referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on import_errors for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();

create or replace trigger inserted after insert on imports referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on imports referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on imports for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();
create or replace trigger noted_insert after insert on imports referencing new table as written
  for each statement execute function note_changes('imports');
create or replace trigger noted_update after update on imports referencing new table as written
  for each statement execute function note_changes('imports');
