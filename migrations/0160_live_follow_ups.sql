-- Follow-ups in live streams. A worker takes and holds one without a change that anybody sees: only what the record shows is noted.
set local lock_timeout = '2s';

create trigger noted_insert after insert on follow_ups referencing new table as written
  for each statement execute function note_changes('follow_ups');

create function note_follow_up() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select l.company_id, 'follow_ups', array[new._id] from live_companies l
    where l.company_id = new.company_id and l.noted_until > now();
  return null;
end
$$;
create trigger noted_update after update on follow_ups for each row
  when (old.updated_at <> new.updated_at or old.status <> new.status) execute function note_follow_up();
