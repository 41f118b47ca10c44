-- The database counts what each company stores, and limits it.

-- Each statement rewrites a small table, because sheets and their errors are deleted together with their import.
alter table import_chunks
  -- squawk-ignore adding-field-with-default
  add column record_bytes integer not null generated always as (octet_length(bytes)) stored;
alter table import_errors
  -- squawk-ignore adding-field-with-default
  add column record_bytes integer not null generated always as (octet_length(lines)) stored;

-- {stored_bytes}. Where a value is absent or null, the installation's default applies.
alter table companies add column limits jsonb not null default '{}';

-- What a company stores is the sum of these two tables. Writers only insert rows into the second one, because a counter that all of them
-- changed would make the writers of one company wait for each other. A worker adds those rows to the first one.
create table company_usage (
  company_id text collate "C" primary key references companies,
  bytes bigint not null
);
call tenant_table('company_usage');
revoke insert, update, delete on company_usage from parley_app;

create table stored_changes (
  company_id text collate "C" not null references companies,
  _id bigint not null generated always as identity,
  bytes bigint not null,
  -- True for growth that the quota may refuse. What networks send is stored by another role, which is counted but never refused.
  is_bounded boolean not null default current_user = 'parley_app',
  made_in xid8 not null default pg_current_xact_id(),
  primary key (company_id, _id)
)
-- Rows stay for seconds, so the index would consist mostly of dead entries if they were not removed often.
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);
call tenant_table('stored_changes');
revoke update, delete on stored_changes from parley_app;
-- Rows that a foreign key deletes with their record are removed, and so counted, as the owner of the tables, to whom row-level security
-- also applies.
create policy counting on stored_changes for insert
  with check (current_user = (select pg_get_userbyid(relowner) from pg_class where oid = 'stored_changes'::regclass));

create function stored_bytes(company text) returns bigint
language sql stable
return coalesce((select bytes from company_usage where company_id = company), 0)
  + coalesce((select sum(bytes)::bigint from stored_changes where company_id = company), 0);

-- Returns the quota; null means that there is none.
create function allowed_bytes(limits jsonb) returns bigint
language sql stable
return coalesce((limits ->> 'stored_bytes')::bigint, nullif(current_setting('app.company_quota', true), '')::bigint);

create function count_inserted() returns trigger language plpgsql as $$
begin
  insert into stored_changes (company_id, bytes) select company_id, sum(record_bytes) from written group by company_id;
  return null;
end
$$;

-- Counts rows that belong to work which was accepted before, such as the outcome of a send or the errors of an import. The quota does not
-- refuse them.
create function count_inserted_unbounded() returns trigger language plpgsql as $$
begin
  insert into stored_changes (company_id, bytes, is_bounded)
    select company_id, sum(record_bytes), false from written group by company_id;
  return null;
end
$$;

create function count_deleted() returns trigger language plpgsql as $$
begin
  insert into stored_changes (company_id, bytes) select company_id, -sum(record_bytes) from gone group by company_id;
  return null;
end
$$;

create function count_updated() returns trigger language plpgsql as $$
begin
  insert into stored_changes (company_id, bytes) values (new.company_id, new.record_bytes - old.record_bytes);
  return null;
end
$$;

create function count_updated_unbounded() returns trigger language plpgsql as $$
begin
  insert into stored_changes (company_id, bytes, is_bounded)
    values (new.company_id, new.record_bytes - old.record_bytes, false);
  return null;
end
$$;

-- Updates are counted row by row, because a trigger for whole statements could not skip updates that change no size, which are most of
-- them.
do $$
declare
  counted text;
begin
  foreach counted in array array['contacts', 'businesses', 'conversations', 'messages', 'table_rows', 'tables', 'custom_fields',
    'imports', 'import_chunks', 'import_errors']
  loop
    execute format('create trigger inserted after insert on %I referencing new table as written for each statement execute function %s()',
      counted, case counted when 'import_errors' then 'count_inserted_unbounded' else 'count_inserted' end);
    execute format('create trigger deleted after delete on %I referencing old table as gone for each statement execute function count_deleted()',
      counted);
    execute format('create trigger updated after update of record_bytes on %I for each row when (old.record_bytes <> new.record_bytes)
      execute function %s()', counted, case when counted in ('messages', 'imports') then 'count_updated_unbounded' else 'count_updated' end);
  end loop;
end
$$;

-- Checks the quota once at the end of a transaction, when it is known by how much the transaction makes the company larger. Changes of
-- concurrent transactions are not visible, so together they may exceed the quota by as much as they write.
create function enforce_quota() returns trigger language plpgsql as $$
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

-- Stores by how much the count of each company is wrong, and returns the number of companies with a wrong count.
create function recount_stored() returns integer language plpgsql as $$
declare
  corrected integer;
begin
  with kept as (
    select company_id, record_bytes from contacts union all select company_id, record_bytes from businesses
    union all select company_id, record_bytes from conversations union all select company_id, record_bytes from messages
    union all select company_id, record_bytes from table_rows union all select company_id, record_bytes from tables
    union all select company_id, record_bytes from custom_fields union all select company_id, record_bytes from imports
    union all select company_id, record_bytes from import_chunks union all select company_id, record_bytes from import_errors
    union all select company_id, -bytes from company_usage union all select company_id, -bytes from stored_changes
  )
  insert into stored_changes (company_id, bytes, is_bounded)
    select company_id, sum(record_bytes), false from kept group by company_id having sum(record_bytes) <> 0;
  get diagnostics corrected = row_count;
  return corrected;
end
$$;
revoke execute on function recount_stored() from public;
grant execute on function recount_stored() to parley_system;
