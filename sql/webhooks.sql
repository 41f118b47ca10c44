create or replace trigger inserted after insert on delivery_replays referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on delivery_replays referencing old table as gone
  for each statement execute function count_deleted();
