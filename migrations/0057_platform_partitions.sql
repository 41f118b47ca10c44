-- The log of deliveries and the audit are partitioned by id, which begins with the time, so that what is too old is dropped and not deleted
-- row by row. The functions are as in sql/platform.sql. What is stored until now becomes the first partition of its table: 0058 validates its
-- bound while the table is in use, so 0059 and 0065 read no row. The bound is far enough that no process of an earlier release reaches it if
-- the migration is interrupted.

-- Partitions a table by id, within a transaction and without reading a row: the table becomes the partition `<table>_earlier`, for the ids
-- below the bound of its constraint `<table>_before`, which is validated. Indexes, triggers and checks keep their names; foreign keys and the
-- indexes `without` stay behind. Row-level security and rights are given by tenant_table() afterwards.
create procedure partition_table(name text, without text[] default '{}') language plpgsql as $$
declare
  earlier constant text := name || '_earlier';
  rest constant text := name || '_rest';
  bound constant text := (select substring(pg_get_constraintdef(oid) from '''(\w+)''') from pg_constraint
    where conrelid = name::regclass and conname = name || '_before' and convalidated);
  identity record;
  change text;
  later text[];
  options text;
begin
  execute format('lock table %I in access exclusive mode', name);
  -- The primary key comes first and the indexes keep their order: of two indexes that look alike the planner takes the older one.
  later := array(
    select format('alter table %I add constraint %I %s', name, conname, pg_get_constraintdef(oid)) from pg_constraint
      where conrelid = name::regclass and contype = 'p'
  ) || array(
    select pg_get_indexdef(indexrelid) from pg_index
      where indrelid = name::regclass and not indisprimary and indexrelid::regclass::text <> all (without) order by indexrelid
  ) || array(
    select pg_get_triggerdef(oid) from pg_trigger where tgrelid = name::regclass and not tgisinternal
  );
  for change in
    select format('alter table %I drop constraint %I', name, conname) from pg_constraint where conrelid = name::regclass and contype = 'f'
    union all
    select format('drop trigger %I on %I', tgname, name) from pg_trigger where tgrelid = name::regclass and not tgisinternal
    union all
    select format('alter index %s rename to %I', indexrelid::regclass, 'earlier_' || indexrelid::regclass)
      from pg_index where indrelid = name::regclass
  loop execute change; end loop;
  -- The sequence of an identity column belongs to the column, which partitions may not have.
  select attname as column, pg_get_serial_sequence(name, attname) as sequence, null::bigint as next into identity
    from pg_attribute where attrelid = name::regclass and attidentity <> '';
  if identity.sequence is not null then
    execute format('select last_value + 1 from %s', identity.sequence) into identity.next;
    execute format('alter table %I alter %I drop identity', name, identity.column);
    execute format('create sequence %s start %s', identity.sequence, identity.next);
    execute format('grant usage on sequence %s to parley_app, parley_system', identity.sequence);
  end if;
  select coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') into options from pg_class where oid = name::regclass;
  execute format('alter table %I rename to %I', name, earlier);
  execute format('create table %I (like %I including defaults including constraints including generated including storage) partition by range (_id)',
    name, earlier);
  execute format('alter table %I drop constraint %I', name, name || '_before');
  if identity.sequence is not null then
    execute format('alter table %I alter %I set default nextval(%L)', name, identity.column, identity.sequence);
    execute format('alter sequence %s owned by %I.%I', identity.sequence, name, identity.column);
  end if;
  execute format('create table %I partition of %I default%s', rest, name, options);
  -- From these two partitions, rows are deleted page by page.
  call tenant_table(rest);
  foreach change in array array[earlier, rest] loop
    execute format('revoke all on %I from parley_app, parley_read, parley_system', change);
    execute format('grant select, delete on %I to parley_system', change);
  end loop;
  foreach change in array later loop execute change; end loop;
  if pg_relation_size(earlier::regclass) = 0 then
    execute format('drop table %I', earlier);
  else
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', name, earlier, bound);
    execute format('alter table %I drop constraint %I', earlier, name || '_before');
  end if;
end
$$;

-- The first id of a moment: ids begin with the second in which they were made.
create function first_id(moment timestamp with time zone) returns text
language sql immutable parallel safe
return lpad(to_hex(floor(extract(epoch from moment))::bigint), 8, '0');

-- The partitions of a table, by id: from `lower` on, and below `upper`. A bound that is missing is null.
create function partitions_of(parent text) returns table (name text, lower text, upper text)
language sql stable as $$
  select c.relname::text, substring(b.bound from 'FROM \(''(\w+)'), substring(b.bound from 'TO \(''(\w+)')
  from pg_inherits i join pg_class c on c.oid = i.inhrelid cross join lateral pg_get_expr(c.relpartbound, c.oid) b (bound)
  where i.inhparent = to_regclass(parent)
$$;

-- Makes the partitions that a table needs until `ahead` days from now, each of `days` days, and returns how many. They are like the partition
-- `<table>_rest`, which takes the rows for which there is no other: then this day is left out. It waits for a lock for a moment only,
-- because all statements on the table wait behind it.
create function make_partitions(parent text, days integer, ahead integer) returns integer
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '100ms' as $$
declare
  day constant integer := 86400;
  today constant bigint := extract(epoch from now())::bigint / day;
  rest constant regclass := parent || '_rest';
  next bigint;
  made integer := 0;
  options text;
  identity text;
  partition text;
begin
  if not pg_try_advisory_xact_lock(724113004) then return 0; end if;
  select greatest(today, max(('x' || upper)::bit(32)::bigint) / day) into next from partitions_of(parent);
  select coalesce(' with (' || array_to_string(reloptions, ', ') || ')', ''), case relreplident when 'f' then 'full' else 'default' end
    into options, identity from pg_class where oid = rest;
  while next <= today + ahead loop
    partition := parent || to_char(to_timestamp(next * day), '_YYYYMMDD');
    begin
      execute format('create table %I (like %I including defaults including constraints including generated including storage)%s',
        partition, parent, options);
      execute format('alter table %I replica identity %s', partition, identity);
      execute format('alter table %I enable row level security', partition);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
        parent, partition, first_id(to_timestamp(next * day)), first_id(to_timestamp((next + days) * day)));
      next := next + days;
      made := made + 1;
    exception when check_violation then
      next := next + 1;
    end;
  end loop;
  return made;
end
$$;
revoke execute on function make_partitions from public;
grant execute on function make_partitions to parley_system;

-- Drops the oldest partition of a table whose ids are all below `before`, and returns its name; null when there is none.
create function drop_partition(parent text, before text) returns text
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '100ms' as $$
declare
  oldest text;
begin
  select p.name into oldest from partitions_of(parent) p where p.upper <= before order by p.upper limit 1;
  if oldest is not null then execute format('drop table %I', oldest); end if;
  return oldest;
end
$$;
revoke execute on function drop_partition from public;
grant execute on function drop_partition to parley_system;

do $$
declare
  name text;
begin
  foreach name in array array['deliveries', 'audit_log'] loop
    execute format('alter table %I add constraint %I check (_id < %L) not valid', name, name || '_before',
      first_id(date_trunc('day', now()) + interval '60 days'));
  end loop;
end
$$;
