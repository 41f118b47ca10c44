-- Sessions of browsers. The cookie holds the token; only its hash is stored. It names no company, so the hash is the key.
create table browser_sessions (
  token_hash bytea primary key,
  company_id text collate "C" not null references companies,
  user_id text collate "C" not null,
  -- The user's session version at the log-in: a new password or a deactivation raises it, which ends the session.
  session_version integer not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  foreign key (company_id, user_id) references users on delete cascade
);
create index browser_sessions_user on browser_sessions (company_id, user_id);
create index browser_sessions_age on browser_sessions (expires_at);
call tenant_table('browser_sessions');
