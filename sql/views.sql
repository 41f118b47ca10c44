create or replace trigger inserted after insert on views referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on views referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on views for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();

-- Everyone sees a shared view, and only its owner sees a private one. What was shared before or is shared now is noted for everyone: the others
-- forget a view that has become private. What is private now, or was until it was removed, is noted for its owner, whose id follows the kind.
-- A view of contacts is a segment.
create or replace function note_view() returns trigger
language plpgsql as $$
begin
  insert into record_changes (company_id, kind, record_ids)
    select l.company_id, kind, array[coalesce(new._id, old._id)] from live_companies l
    cross join (select case coalesce(new.kind, old.kind) when 'CONTACTS' then 'segments' else 'views' end as list) as of_kind
    cross join lateral (values (list, coalesce(new.is_shared, false) or coalesce(old.is_shared, false)),
      (list || '/' || coalesce(new.owner_id, old.owner_id), not coalesce(new.is_shared, old.is_shared))) as audience (kind, concerned)
    where l.company_id = coalesce(new.company_id, old.company_id) and l.noted_until > now() and concerned;
  return null;
end
$$;
create or replace trigger noted after insert or update or delete on views for each row execute function note_view();
