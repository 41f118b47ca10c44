create or replace trigger inserted after insert on businesses referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on businesses referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on businesses for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();
