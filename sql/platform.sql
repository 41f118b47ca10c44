-- Gives a table its row-level security. parley_app sees the company of its transaction; parley_read serves single statements that name the
-- company themselves; parley_system does the work for many companies (claims, callbacks). Migrations call it before this file is read, so a
-- migration that needs another form of it creates that as well.
create or replace procedure tenant_table(name text, company_column text default 'company_id')
language plpgsql as $$
begin
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format(
    'create policy tenant on %I to parley_app using (%I = current_setting(''app.company_id'', true)) with check (%I = current_setting(''app.company_id'', true))',
    name, company_column, company_column
  );
  execute format('create policy reading on %I for select to parley_read using (true)', name);
  execute format('create policy system on %I to parley_system using (true) with check (true)', name);
  execute format('grant select, insert, update, delete on %I to parley_app, parley_system', name);
  execute format('grant select on %I to parley_read', name);
end
$$;

-- Partitions a table by id, within a transaction and without reading a row: the table becomes the partition `<table>_earlier`, for the ids
-- below the bound of its constraint `<table>_before`, which is validated. Indexes, triggers, checks and foreign keys keep their names; the
-- constraints and indexes `without` stay behind, and rules. Row-level security and rights are given by tenant_table() afterwards.
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

-- The first id of a moment: ids begin with the second in which they were made.
create or replace function first_id(moment timestamp with time zone) returns text
language sql immutable parallel safe
return lpad(to_hex(floor(extract(epoch from moment))::bigint), 8, '0');

-- The partitions of a table, by id: from `lower` on, and below `upper`. A bound that is missing is null.
create or replace function partitions_of(parent text) returns table (name text, lower text, upper text)
language sql stable as $$
  select c.relname::text, substring(b.bound from 'FROM \(''(\w+)'), substring(b.bound from 'TO \(''(\w+)')
  from pg_inherits i join pg_class c on c.oid = i.inhrelid cross join lateral pg_get_expr(c.relpartbound, c.oid) b (bound)
  where i.inhparent = to_regclass(parent)
$$;

-- Makes the partitions that a table needs until `ahead` days from now, each of `days` days, and returns how many. They are like the partition
-- `<table>_rest`, which takes the rows for which there is no other: then this day is left out. It waits for a lock for a moment only,
-- because all statements on the table wait behind it. Days are those of UTC. The bound of `<table>_earlier` is midnight in the time zone of the
-- server; the rows until midnight in UTC go into `<table>_rest`.
create or replace function make_partitions(parent text, days integer, ahead integer) returns integer
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '100ms' set timezone = 'UTC' as $$
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
  select greatest(today, (max(('x' || upper)::bit(32)::bigint) + day - 1) / day) into next from partitions_of(parent);
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
create or replace function drop_partition(parent text, before text) returns text
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

-- Updates the planner's statistics of tables that have more than doubled since the last update. Each of our indexes begins with the company, so
-- on an empty table they all look alike, and a prepared statement that was planned then keeps the wrong one until the table is analysed.
-- autovacuum runs once a minute, which is too late for a new installation under load. It is early enough for rows that only change: they do not
-- make the plan of a small table wrong, and some tables change completely every few seconds. Only the owner of a table may analyse it.
create or replace function refresh_statistics() returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  stale regclass;
  refreshed integer := 0;
begin
  if not pg_try_advisory_xact_lock(724113003) then return 0; end if;
  for stale in
    select s.relid::regclass from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = 'public' and c.reltuples < 1000000 and s.n_live_tup > 50 + 2 * greatest(c.reltuples, 0)
    union all
    -- A partitioned table has statistics of its own, which autovacuum never updates.
    select c.oid::regclass from pg_class c join pg_inherits i on i.inhparent = c.oid join pg_class p on p.oid = i.inhrelid
    where c.relkind = 'p' and c.relnamespace = 'public'::regnamespace and c.reltuples < 1000000
    group by c.oid having sum(greatest(p.reltuples, 0)) > 50 + 2 * greatest(c.reltuples, 0)
  loop
    execute format('analyze %s', stale);
    refreshed := refreshed + 1;
  end loop;
  return refreshed;
end
$$;
revoke execute on function refresh_statistics() from public;
grant execute on function refresh_statistics() to parley_system;

-- Ids that are made in SQL have the same format as all others: four bytes of time and eight random bytes.
create or replace function new_id() returns text
language sql volatile as $$
  select lpad(to_hex(extract(epoch from clock_timestamp())::bigint), 8, '0') || substr(md5(gen_random_uuid()::text), 1, 16)
$$;

-- Returns the form of a text that the search compares: lower case, without accents. The text is lowered twice: before, so that texts that
-- differ only in case become equal, and afterwards, because normalising a ligature or a circled letter may produce a capital. Texts of
-- ASCII letters, which are nearly all, need only the first lowering.
create or replace function fold(value text) returns text
language sql immutable parallel safe
return case when octet_length(value) = char_length(value) then lower(value) else
  lower(regexp_replace(normalize(lower(value), NFKD),
    '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]', '', 'g'))
end;

-- Returns a LIKE pattern that matches exactly these characters.
create or replace function like_literal(value text) returns text
language sql immutable parallel safe
return regexp_replace(value, '([\\%_])', '\\\1', 'g');

-- Marks texts for searches of two characters. The index knows trigrams but no pairs, so such a search lists all trigrams that end in the
-- pair and begin with an ASCII character. A pair behind another character is not found by them, so texts with such a pair get this mark;
-- there are few once they are folded.
create or replace function pair_mark(folded text) returns text
language sql immutable parallel safe
return case when octet_length(folded) > char_length(folded) and folded ~ '[^\u0001-\u007f][a-z0-9]{2}' then '+' else '-' end;

-- Returns the length of a text in JSON, with quotes and with the characters that JSON escapes.
create or replace function json_bytes(value text) returns integer
language sql immutable parallel safe
return octet_length(to_json(value)::text);

create or replace function json_bytes(items text[]) returns integer
language sql immutable parallel safe
return octet_length(to_json(items)::text);

-- The items of a list in small letters, for an index of contacts by tag. An index takes only functions that are marked immutable, and
-- array_agg() is; casting an array to text is not.
create or replace function lower_items(items text[]) returns text[] language sql immutable parallel safe strict
begin atomic
  select array_agg(lower(item)) from unnest(items) item;
end;

-- Refills each bucket and takes tokens from it. Returns a row for each subject: the granted tokens, and the tokens that are left. From the
-- upper half of a bucket a process gets up to `maximums`, which includes tokens for future callers; from the lower half it gets only
-- `minimums`, for the callers that wait. `returns` are tokens that the process did not need.
create or replace function take_tokens(
  subjects text[], rates double precision[], bursts double precision[], minimums integer[], maximums integer[], returns integer[]
) returns table (subject text, granted integer, remaining double precision)
language plpgsql as $$
declare
  wish record;
  bucket record;
  -- The time is read after the lock, because the lock may have been waited for.
  moment timestamptz;
begin
  -- The buckets are locked in one order, so that two processes never wait for each other.
  for wish in
    select w.* from unnest(subjects, rates, bursts, minimums, maximums, returns)
      as w (name, rate, burst, minimum, maximum, returned) order by w.name collate "C"
  loop
    loop
      select b.tokens, b.refilled_at into bucket from rate_buckets b where b.subject = wish.name for update;
      exit when found;
      insert into rate_buckets (subject, tokens, refilled_at) values (wish.name, wish.burst, clock_timestamp())
        on conflict do nothing;
    end loop;
    moment := clock_timestamp();
    -- When the clock was set back, the bucket is not refilled this time.
    remaining := least(
      wish.burst,
      bucket.tokens + wish.returned
        + wish.rate * greatest(0, extract(epoch from moment - bucket.refilled_at)::double precision)
    );
    granted := greatest(least(wish.minimum, floor(remaining)), least(wish.maximum, floor(remaining - wish.burst / 2)));
    remaining := remaining - granted;
    update rate_buckets b set tokens = remaining, refilled_at = moment where b.subject = wish.name;
    subject := wish.name;
    return next;
  end loop;
end
$$;
revoke execute on function take_tokens from public;
grant execute on function take_tokens to parley_system;

-- Reserves up to `most` slots of a number, none later than a second from now, and says in how many seconds the first one begins.
create or replace function reserve_slots(company text, number_lane text, account_lane text, rate double precision, most integer)
returns table (granted integer, first_in double precision)
language plpgsql as $$
declare
  pace record;
  moment timestamptz;
  first_at timestamptz;
begin
  insert into send_paces (company_id, lane) values (company, number_lane) on conflict do nothing;
  select p.next_at, p.held_until into pace from send_paces p where p.company_id = company and p.lane = number_lane for update;
  -- After the lock, which may have been waited for.
  moment := clock_timestamp();
  select greatest(moment, pace.next_at, pace.held_until, max(a.held_until)) into first_at
    from send_paces a where a.company_id = company and a.lane = account_lane;
  first_in := extract(epoch from first_at - moment)::double precision;
  granted := greatest(0, least(most, ceil(rate * (1 - first_in))))::integer;
  if granted > 0 then
    update send_paces p set next_at = first_at + make_interval(secs => granted / rate)
      where p.company_id = company and p.lane = number_lane;
  end if;
  return next;
end
$$;
revoke execute on function reserve_slots from public;
grant execute on function reserve_slots to parley_app;

-- Moves the runs that a process of 1.0.0 has stored into the table runs, with their ids. A run in the middle of its work continues after what
-- it has counted; its worker finds that it has ended.
create or replace function move_runs() returns void language sql as $$
  with gone as (delete from conversation_runs returning *)
  insert into runs (company_id, _id, kind, actor, origin, input, subjects, status, total, processed, changed_count, failed_count, failures,
      error, is_waiting, turn_at, started_at, finished_at, created_at, updated_at)
    select company_id, _id, 'CONVERSATIONS', actor, origin, change, conversation_ids, status, total, processed, changed_count, failed_count,
      failures, error, finished_at is null, turn_at, started_at, finished_at, created_at, updated_at
    from gone;
  with gone as (delete from delivery_replays returning *)
  insert into runs (company_id, _id, kind, input, place, status, total, processed, created_count, error, is_waiting, finished_at, created_at,
      updated_at)
    select company_id, _id, 'REPLAY', jsonb_build_object('webhook', webhook_id, 'epoch', webhook_epoch, 'status', delivery_status,
        'event', event, 'from', since, 'to', until),
      case when after_id is not null then jsonb_build_object('at', after_at, 'id', after_id) end, status, total, processed, replayed,
      case when error is not null then jsonb_build_object('code', error, 'message', 'The webhook is inactive') end,
      finished_at is null, finished_at, created_at, updated_at
    from gone;
  with gone as (delete from imports returning *)
  insert into runs (company_id, _id, kind, actor, input, status, total, processed, created_count, changed_count, failed_count, failures, error,
      is_waiting, turn_at, started_at, finished_at, created_at, updated_at)
    select company_id, _id, 'IMPORT',
      jsonb_build_object('type', principal -> 'type', 'id', principal -> '_id', 'name', principal -> 'name'),
      options || jsonb_build_object('kind', kind, 'table', table_id, 'file_name', file_name, 'format', format, 'bytes', bytes),
      status, total, processed, created_count, updated_count, failed_count, row_errors, error, finished_at is null, turn_at, started_at,
      finished_at, created_at, updated_at
    from gone;
$$;

-- Until it is restarted, a process of 1.0.0 stores its runs in the tables that it knows. A later release removes these tables.
create or replace function move_stored_run() returns trigger language plpgsql as $$
begin
  perform move_runs();
  return null;
end
$$;
create or replace trigger moved after insert on conversation_runs for each statement execute function move_stored_run();
create or replace trigger moved after insert on imports for each statement execute function move_stored_run();
create or replace trigger moved after insert on delivery_replays for each statement execute function move_stored_run();

create or replace trigger inserted after insert on runs referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on runs referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on runs for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated_unbounded();
create or replace trigger noted_insert after insert on runs referencing new table as written
  for each statement execute function note_changes('runs');
create or replace trigger noted_update after update on runs referencing new table as written
  for each statement execute function note_changes('runs');
