create or replace trigger inserted after insert on bulk_rows referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on bulk_rows referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on bulk_rows for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();

create or replace trigger inserted after insert on bulk_runs referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on bulk_runs referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on bulk_runs for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();
create or replace trigger noted_insert after insert on bulk_runs referencing new table as written
  for each statement execute function note_changes('bulk_runs');
create or replace trigger noted_update after update on bulk_runs referencing new table as written
  for each statement execute function note_changes('bulk_runs');
