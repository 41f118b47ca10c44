create or replace function remove_replaced_picture() returns trigger language plpgsql as $$
begin
  perform remove_brought(old.company_id, array[old.picture_id]);
  return null;
end
$$;
create or replace trigger picture_replaced after update of picture_id on users for each row
  when (old.picture_id is not null and old.picture_id is distinct from new.picture_id) execute function remove_replaced_picture();
