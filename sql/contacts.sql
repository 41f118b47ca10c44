-- Returns further properties by which contacts are filtered: the names of the fields that have a value, of the fields that have none, and
-- whether the name or the e-mail has letters beyond ASCII, which few have once they are folded. They are an array, because the planner has
-- statistics about the items of an array.
create or replace function contact_marks(name text, email text, phone_number text, professional_network_identifier text, folded text)
returns text[]
language sql immutable parallel safe
return array[
  case when coalesce(name, '') > '' then '+name' else '-name' end,
  case when coalesce(email, '') > '' then '+email' else '-email' end,
  case when coalesce(phone_number, '') > '' then '+phone_number' else '-phone_number' end,
  case when coalesce(professional_network_identifier, '') > '' then '+professional_network_identifier'
    else '-professional_network_identifier' end,
  case when octet_length(folded) > char_length(folded) then '+letters' else '-letters' end
];

-- Triggers write contact_activity, so no code can forget it.
create or replace function begin_contact_activity() returns trigger
language plpgsql as $$
begin
  insert into contact_activity (company_id, record_id, active_at)
    select company_id, _id, coalesce(last_message_at, '-infinity') from added;
  return null;
end
$$;
create or replace trigger contacts_activity_begins after insert on contacts
  referencing new table as added for each statement execute function begin_contact_activity();

-- This runs at every change of a contact, but writes only when the change moves the contact in the list.
create or replace function move_contact_activity() returns trigger
language plpgsql as $$
begin
  update contact_activity a set active_at = coalesce(c.last_message_at, '-infinity') from changed c
    where a.company_id = c.company_id and a.record_id = c._id and a.active_at <> coalesce(c.last_message_at, '-infinity');
  return null;
end
$$;
create or replace trigger contacts_activity_moves after update on contacts
  referencing new table as changed for each statement execute function move_contact_activity();

create or replace trigger inserted after insert on contacts referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on contacts referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on contacts for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();
create or replace trigger noted_insert after insert on contacts referencing new table as written
  for each statement execute function note_changes('contacts');
create or replace trigger noted_update after update on contacts referencing new table as written
  for each statement execute function note_changes('contacts');
create or replace trigger noted_delete after delete on contacts referencing old table as written
  for each statement execute function note_changes('contacts');

create or replace trigger inserted after insert on contact_notes referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on contact_notes referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on contact_notes for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();
create or replace trigger noted_insert after insert on contact_notes referencing new table as written
  for each statement execute function note_changes('contact_notes');
create or replace trigger noted_update after update on contact_notes referencing new table as written
  for each statement execute function note_changes('contact_notes');
create or replace trigger noted_delete after delete on contact_notes referencing old table as written
  for each statement execute function note_changes('contact_notes');
