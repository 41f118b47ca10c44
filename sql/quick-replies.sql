create or replace trigger inserted after insert on quick_replies referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on quick_replies referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on quick_replies for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();
