-- Rows of tables in live streams.
set local lock_timeout = '2s';

create trigger noted_insert after insert on table_rows referencing new table as written
  for each statement execute function note_changes('table_rows');
create trigger noted_update after update on table_rows referencing new table as written
  for each statement execute function note_changes('table_rows');
create trigger noted_delete after delete on table_rows referencing old table as written
  for each statement execute function note_changes('table_rows');
