-- Companies, and the users and keys that act for them. Every later table has the same form: primary key (company_id, _id), composite
-- foreign keys, and row-level security by tenant_table().

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

create table companies (
  _id text collate "C" primary key,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
call tenant_table('companies', '_id');

create table users (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  email text not null,
  role text not null check (role in ('OWNER', 'ADMIN', 'OPERATOR', 'VIEWER')),
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  language text not null default 'pt-BR',
  password_hash text,
  session_version integer not null default 0,
  last_login_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
-- A log-in names no company, so an e-mail address belongs to one user of the whole installation.
create unique index users_email_key on users (lower(email));
call tenant_table('users');

-- A global key belongs to no company. A key is found by its hash before its company is known, so its primary key is _id alone.
create table api_keys (
  _id text collate "C" primary key,
  company_id text collate "C" references companies,
  type text not null check (type in ('company', 'global')),
  name text not null,
  prefix text not null,
  token_hash bytea not null unique,
  scopes text[] not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((type = 'global') = (company_id is null))
);
create index api_keys_company on api_keys (company_id, created_at desc, _id desc);
call tenant_table('api_keys');
