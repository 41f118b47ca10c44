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
  -- The user or the key of the same company that created a key, even when it has been removed since. A
  -- company must not see global keys, so a key that a global key created has no creator here.
  created_by text collate "C",
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((type = 'global') = (company_id is null))
);
create index api_keys_company on api_keys (company_id, created_at desc, _id desc);
-- Finds the keys that a user or a key created.
create index api_keys_maker on api_keys (company_id, created_by) where created_by is not null;
create index api_keys_updated on api_keys (company_id, updated_at desc, _id desc);
call tenant_table('api_keys');
