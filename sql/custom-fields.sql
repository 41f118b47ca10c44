-- Returns a record's custom fields as the API shows them. Most records have none, and then nothing is looked up.
create or replace function custom_field_values(company text, held jsonb) returns json
language sql stable as $$
  select case when held = '{}' then '[]'::json else (
    select coalesce(json_agg(json_build_object('_id', f._id, 'slug', f.slug, 'title', f.title, 'value', v.value) order by f.slug), '[]')
    from jsonb_each(held) v join custom_fields f on f.company_id = company and f._id = v.key
  ) end
$$;

create or replace trigger inserted after insert on custom_fields referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on custom_fields referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on custom_fields for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();
