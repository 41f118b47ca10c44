-- Returns how many bytes the company stores.
create or replace function stored_bytes(company text) returns bigint
language sql stable
return coalesce((select bytes from company_usage where company_id = company), 0)
  + coalesce((select sum(bytes)::bigint from stored_changes where company_id = company), 0);

-- Returns the quota; null means that there is none.
create or replace function allowed_bytes(limits jsonb) returns bigint
language sql stable
return coalesce((limits ->> 'stored_bytes')::bigint, nullif(current_setting('app.company_quota', true), '')::bigint);

-- Checks the quota once at the end of a transaction, when it is known by how much the transaction makes the company larger. Changes of
-- concurrent transactions are not visible, so together they may exceed the quota by as much as they write.
create or replace function enforce_quota() returns trigger language plpgsql as $$
declare
  this_transaction constant text := pg_current_xact_id()::text;
  allowed bigint;
  added bigint;
  stored bigint;
begin
  if current_setting('app.quota_checked_in', true) = this_transaction then return null; end if;
  perform set_config('app.quota_checked_in', this_transaction, true);
  select allowed_bytes(limits) into allowed from companies where _id = new.company_id;
  if allowed is null then return null; end if;
  select sum(bytes) into added from stored_changes where company_id = new.company_id and made_in = pg_current_xact_id();
  if added <= 0 then return null; end if;
  stored := stored_bytes(new.company_id);
  if stored > allowed then
    raise exception using errcode = 'QUOTA', message = format(
      'The company stores %s bytes and may store %s; this would add %s', stored - added, allowed, added);
  end if;
  return null;
end
$$;
create constraint trigger quota after insert on stored_changes deferrable initially deferred
  for each row when (new.is_bounded and new.bytes > 0) execute function enforce_quota();

-- The triggers inserted, deleted and updated of a table count the bytes of its records, which are in its column record_bytes; begin_message()
-- counts new messages. Updates are counted row by row, because a trigger for whole statements could not skip updates that change no size, which
-- are most of them. Tables whose records never change their size have no trigger updated.
create or replace function count_inserted() returns trigger language plpgsql as $$
begin
  insert into stored_changes (company_id, bytes) select company_id, sum(record_bytes) from written group by company_id;
  return null;
end
$$;

-- Counts rows that belong to work that was accepted before, such as the outcome of a send or the errors of an import. The quota does not
-- refuse them.
create or replace function count_inserted_unbounded() returns trigger language plpgsql as $$
begin
  insert into stored_changes (company_id, bytes, is_bounded)
    select company_id, sum(record_bytes), false from written group by company_id;
  return null;
end
$$;

create or replace function count_deleted() returns trigger language plpgsql as $$
begin
  insert into stored_changes (company_id, bytes) select company_id, -sum(record_bytes) from gone group by company_id;
  return null;
end
$$;

create or replace function count_updated() returns trigger language plpgsql as $$
begin
  insert into stored_changes (company_id, bytes) values (new.company_id, new.record_bytes - old.record_bytes);
  return null;
end
$$;

create or replace function count_updated_unbounded() returns trigger language plpgsql as $$
begin
  insert into stored_changes (company_id, bytes, is_bounded)
    values (new.company_id, new.record_bytes - old.record_bytes, false);
  return null;
end
$$;

-- Migrations up to 0040 have made these triggers with it. Those of a later table are written in the file of its room.
create or replace procedure counted_table(name text, inserts text default 'BOUNDED', updates text default 'BOUNDED')
language plpgsql as $$
begin
  execute format('create trigger inserted after insert on %I referencing new table as written for each statement execute function %s()',
    name, case inserts when 'BOUNDED' then 'count_inserted' else 'count_inserted_unbounded' end);
  execute format('create trigger deleted after delete on %I referencing old table as gone for each statement execute function count_deleted()',
    name);
  if updates = 'UNCOUNTED' then return; end if;
  execute format('create trigger updated after update of record_bytes on %I for each row when (old.record_bytes <> new.record_bytes)
    execute function %s()', name, case updates when 'BOUNDED' then 'count_updated' else 'count_updated_unbounded' end);
end
$$;
