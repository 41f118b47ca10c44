-- Passkeys. They belong to a person, like the password, and so to the person's users in all companies. Only the system role sees them.
create table passkeys (
  email text collate "C" not null references people on delete cascade on update cascade,
  _id text collate "C" not null,
  name text not null,
  -- By which the browser names the key.
  credential_id text collate "C" not null,
  public_key bytea not null,
  -- How often the key has been used, as it says itself. Most keep this at zero.
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  primary key (email, _id),
  constraint passkeys_credential_key unique (credential_id)
);
create index passkeys_list on passkeys (email, created_at desc, _id desc);
grant select, insert, update, delete on passkeys to parley_system;

-- The challenges that a passkey has answered, until they expire: each counts once.
create table passkey_challenges (
  challenge_hash bytea primary key,
  expires_at timestamptz(3) not null
);
create index passkey_challenges_age on passkey_challenges (expires_at);
grant select, insert, delete on passkey_challenges to parley_system;
