-- Messages get a partition for each ninety days, as 0057_platform_partitions.sql says for deliveries. What is stored until now becomes the first
-- one: 0155 validates its bound while the table is in use, so 0156 reads no row. In a smaller table, new messages are inserted into indexes that
-- fit into memory, and a vacuum reads no index of messages that have not changed for months.

-- As in sql/platform.sql: it leaves the foreign keys of messages in place, which would be checked row by row.
create or replace procedure partition_table(name text, without text[] default '{}') language plpgsql as $$
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
      where conrelid = name::regclass and contype in ('p', 'f') and conname <> all (without) order by contype desc
  ) || array(
    select pg_get_indexdef(indexrelid) from pg_index
      where indrelid = name::regclass and not indisprimary and indexrelid::regclass::text <> all (without) order by indexrelid
  ) || array(
    select pg_get_triggerdef(oid) from pg_trigger where tgrelid = name::regclass and not tgisinternal
  );
  for change in
    select format('alter table %I drop constraint %I', name, conname) from pg_constraint
      where conrelid = name::regclass and contype = 'f' and conname = any (without)
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

do $$
begin
  execute format('alter table messages add constraint messages_before check (_id < %L) not valid',
    first_id(date_trunc('day', now()) + interval '60 days'));
end
$$;
