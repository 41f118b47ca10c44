-- Agents read rows that belong to nobody, but not those whose contact or business was removed: they are about somebody else.
alter table table_rows add column lost_owner boolean not null default false;

create function note_lost_owner() returns trigger
  language plpgsql set search_path from current as $$
begin
  new.lost_owner := new.contact_id is null
    and (old.lost_owner or old.contact_id is not null or (old.business_id is not null and new.business_id is null));
  return new;
end
$$;
create trigger lost_owner before update of contact_id, business_id on table_rows
  for each row when ((old.contact_id, old.business_id) is distinct from (new.contact_id, new.business_id))
  execute function note_lost_owner();
