-- Companies, what every later table is made with, and the count of what a company stores. Tables of companies have the same form: the primary key
-- (company_id, _id), composite foreign keys, row-level security by tenant_table(), and counted_table() where their records count.

-- Both extensions ship with PostgreSQL and are trusted, so everybody who may create objects in this database may create them. pg_trgm
-- indexes parts of texts, btree_gin puts the company into the same index.
create extension if not exists pg_trgm;

create extension if not exists btree_gin;

-- Gives a table its row-level security. parley_app sees the company of its transaction; parley_read serves single statements that name the
-- company themselves; parley_system does the work for many companies (claims, callbacks).
create procedure tenant_table(name text, company_column text default 'company_id')
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

-- Updates the planner's statistics of tables that have changed a lot since the last update. Each of our indexes begins with the company, so
-- on an empty table they all look alike, and a prepared statement that was planned then keeps the wrong one until the table is analysed.
-- autovacuum runs once a minute, for which a new installation under load can not wait. Only the owner of a table may analyse it.
create function refresh_statistics() returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  stale regclass;
  refreshed integer := 0;
begin
  if not pg_try_advisory_xact_lock(724113003) then return 0; end if;
  for stale in
    select s.relid::regclass from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = 'public' and c.reltuples < 1000000 and s.n_mod_since_analyze > 50 + 0.3 * greatest(c.reltuples, 0)
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
create function new_id() returns text
language sql volatile as $$
  select lpad(to_hex(extract(epoch from clock_timestamp())::bigint), 8, '0') || substr(md5(gen_random_uuid()::text), 1, 16)
$$;

-- Returns the form of a text that the search compares: lower case, without accents. The text is lowered twice: before, so that texts that
-- differ only in case become equal, and afterwards, because normalising a ligature or a circled letter may produce a capital. Texts of
-- ASCII letters, which are nearly all, need only the first lowering.
create function fold(value text) returns text
language sql immutable parallel safe
return case when octet_length(value) = char_length(value) then lower(value) else
  lower(regexp_replace(normalize(lower(value), NFKD),
    '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]', '', 'g'))
end;

-- Returns a LIKE pattern that matches exactly these characters.
create function like_literal(value text) returns text
language sql immutable parallel safe
return regexp_replace(value, '([\\%_])', '\\\1', 'g');

-- Marks texts for searches of two characters. The index knows trigrams but no pairs, so such a search lists all trigrams that end in the
-- pair and begin with an ASCII character. A pair behind another character is not found by them, so texts with such a pair get this mark;
-- there are few once they are folded.
create function pair_mark(folded text) returns text
language sql immutable parallel safe
return case when octet_length(folded) > char_length(folded) and folded ~ '[^\u0001-\u007f][a-z0-9]{2}' then '+' else '-' end;

-- Returns the length of a text in JSON, with quotes and with the characters that JSON escapes.
create function json_bytes(value text) returns integer
language sql immutable parallel safe
return octet_length(to_json(value)::text);

create function json_bytes(items text[]) returns integer
language sql immutable parallel safe
return octet_length(to_json(items)::text);

-- The items of a list in small letters, for an index of contacts by tag. An index takes only functions that are marked immutable, and
-- array_agg() is; casting an array to text is not.
create function lower_items(items text[]) returns text[] language sql immutable parallel safe strict
begin atomic
  select array_agg(lower(item)) from unnest(items) item;
end;

create table companies (
  _id text collate "C" primary key,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  description text,
  domains text[] not null default '{}',
  site text,
  general_config jsonb not null default '{"language": "pt-BR", "time_zone": "America/Sao_Paulo"}',
  agent_builder_mcp_enabled boolean not null default false,
  client_mcp_servers_enabled boolean not null default false,
  auto_join_enabled boolean not null default false,
  subscription jsonb not null default '{}',
  document_type text check (document_type in ('CPF', 'CNPJ', 'OTHER')),
  document_number text,
  payment_customer_id text,
  billing_external boolean not null default false,
  billing_partner boolean not null default false,
  onboarding jsonb not null default '{}',
  attribution jsonb not null default '{}',
  -- {stored_bytes}. Where a value is absent or null, the installation's default applies.
  limits jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index companies_list on companies (created_at desc, _id desc);
create index companies_updated on companies (updated_at desc, _id desc);
call tenant_table('companies', '_id');

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

-- Returns what the company stores.
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

-- Counts the bytes of a table's records, which are in its column record_bytes. UNBOUNDED growth is counted and never refused; updates are
-- UNCOUNTED where no record changes its size. They are counted row by row, because a trigger for whole statements could not skip updates
-- that change no size, which are most of them.
create procedure counted_table(name text, inserts text default 'BOUNDED', updates text default 'BOUNDED')
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
