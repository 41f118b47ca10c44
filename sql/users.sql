create or replace function remove_replaced_picture() returns trigger language plpgsql as $$
begin
  perform remove_brought(old.company_id, array[old.picture_id]);
  return null;
end
$$;
create or replace trigger picture_replaced after update of picture_id on users for each row
  when (old.picture_id is not null and old.picture_id is distinct from new.picture_id) execute function remove_replaced_picture();

-- Whether the person with this address has a second factor. Only the system role sees the table of people, but companies see which of their
-- users have one.
create or replace function has_second_factor(address text) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select 1 from people where email = lower(address) and totp_secret is not null)
    or exists (select 1 from passkeys where email = lower(address))
$$;
revoke execute on function has_second_factor from public;
grant execute on function has_second_factor to parley_app, parley_read, parley_system;
