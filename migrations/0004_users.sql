-- The people of companies, and how they log in.

create table users (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  email text not null,
  role text not null check (role in ('OWNER', 'ADMIN', 'OPERATOR', 'VIEWER')),
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INVITED', 'INACTIVE')),
  language text not null default 'pt-BR',
  session_version integer not null default 0,
  last_login_at timestamptz(3),
  -- A user is hidden from everybody as soon as this is set. A job then removes the user from all records that name them, which may be very
  -- many, and deletes the user when no record is left.
  removed_at timestamptz(3),
  -- When the person accepted the invitation of the company by a mailed link. Null for a user who has not accepted it yet.
  accepted_at timestamptz(3),
  -- The address of a picture of the person, which visitors of a web chat see beside the name.
  avatar_url text,
  picture_id text collate "C",
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint users_picture_ref foreign key (company_id, picture_id) references attachments
);
create index users_list on users (company_id, created_at desc, _id desc);
-- In each company an e-mail address belongs to one user.
create unique index users_company_email_key on users (company_id, lower(email));
-- A log-in names no company, so users are found by their address alone.
create index users_email on users (lower(email));
create index users_updated on users (company_id, updated_at desc, _id desc);
create index users_picture on users (company_id, picture_id) where picture_id is not null;
call tenant_table('users');

-- Links in mails. The token itself is only in the mail. A request with the token names no company, so the token's hash is the primary key.
create table password_tokens (
  token_hash bytea primary key,
  company_id text collate "C" not null references companies,
  user_id text collate "C" not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  -- A link either sets a password or logs a browser in, and never does both.
  purpose text collate "C" not null default 'PASSWORD' constraint password_tokens_purpose check (purpose in ('PASSWORD', 'LOG_IN')),
  foreign key (company_id, user_id) references users on delete cascade
);
create index password_tokens_user on password_tokens (company_id, user_id);
create index password_tokens_age on password_tokens (expires_at);
call tenant_table('password_tokens');

-- A person is whoever reads the mails of an e-mail address. A person has one password, even as a user of many companies. A person belongs
-- to no company, so only the system role sees this table.
create table people (
  -- The address in lower case, as addresses of users are compared.
  email text collate "C" primary key,
  password_hash text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
grant select, insert, update, delete on people to parley_system;

-- When an address was last mailed a link: because of a forgotten password (then the company is null), and by each company that invites it.
-- These rows outlive users and links, so that removing and inviting a user again does not send another mail sooner.
create table mailed_links (
  company_id text collate "C" references companies,
  email text collate "C" not null,
  mailed_at timestamptz(3) not null
);
create unique index mailed_links_address on mailed_links (company_id, email) nulls not distinct;
create index mailed_links_age on mailed_links (mailed_at);
call tenant_table('mailed_links');

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

create function remove_replaced_picture() returns trigger language plpgsql as $$
begin
  perform remove_brought(old.company_id, array[old.picture_id]);
  return null;
end
$$;
create trigger picture_replaced after update of picture_id on users for each row
  when (old.picture_id is not null and old.picture_id is distinct from new.picture_id) execute function remove_replaced_picture();
