-- Apps that users have connected by OAuth, such as assistants, and the clients that have registered themselves for that.

-- A client registers before anybody has logged in, so it belongs to no company, and only the system role sees this table.
create table oauth_clients (
  _id text collate "C" primary key,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz(3) not null default now(),
  -- When a user last connected it, or it last got tokens. Null for a client that nobody has connected.
  used_at timestamptz(3)
);
create index oauth_clients_unused on oauth_clients (created_at desc) where used_at is null;
grant select, insert, update, delete on oauth_clients to parley_system;

create table connected_apps (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  -- The user who has connected the app, and for whom it acts.
  user_id text collate "C" not null,
  -- The user's session version at the consent: a new password or a deactivation raises it, which ends the connection.
  session_version integer not null,
  client_id text not null,
  name text not null,
  access text not null check (access in ('READ', 'WRITE', 'SEND')),
  redirect_uri text not null,
  challenge text not null,
  -- The hash of the only refresh token that counts. Null until the code is redeemed.
  refresh_hash bytea,
  -- When the code or the refresh token expires.
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, user_id) references users on delete cascade
);
create index connected_apps_list on connected_apps (company_id, created_at desc, _id desc);
create index connected_apps_updated on connected_apps (company_id, updated_at desc, _id desc);
create index connected_apps_user on connected_apps (company_id, user_id, created_at desc);
create index connected_apps_age on connected_apps (expires_at);
call tenant_table('connected_apps');
