-- Returns the values of a row as one text, in which the search finds a part of any value. Each item of a list is a value of its own. The
-- control character that separates two values occurs in no value and in no search, so no search matches across two values.
create or replace function values_text(data jsonb) returns text
language sql immutable parallel safe
return (select string_agg(translate(value #>> '{}', chr(31), chr(30)), chr(31)) from jsonb_path_query(data, '$.*[*]') value);

create or replace function note_lost_owner() returns trigger
  language plpgsql set search_path from current as $$
begin
  new.lost_owner := new.contact_id is null
    and (old.lost_owner or old.contact_id is not null or (old.business_id is not null and new.business_id is null));
  return new;
end
$$;
create or replace trigger lost_owner before update of contact_id, business_id on table_rows
  for each row when (old.contact_id is distinct from new.contact_id or old.business_id is distinct from new.business_id)
  execute function note_lost_owner();

create or replace trigger inserted after insert on table_rows referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on table_rows referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on table_rows for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();
create or replace trigger noted_insert after insert on table_rows referencing new table as written
  for each statement execute function note_changes('table_rows');
create or replace trigger noted_update after update on table_rows referencing new table as written
  for each statement execute function note_changes('table_rows');
create or replace trigger noted_delete after delete on table_rows referencing old table as written
  for each statement execute function note_changes('table_rows');

create or replace trigger inserted after insert on tables referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on tables referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on tables for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();
