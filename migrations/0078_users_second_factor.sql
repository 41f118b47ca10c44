-- Two-factor log-in. A person has one second factor for all companies, like the password.
alter table people
  -- The secret of the person's authenticator app, encrypted. Null without two-factor log-in.
  add column totp_secret text,
  -- The secret of an authenticator app that the person is setting up, encrypted. It becomes the other one with the first right code.
  add column totp_pending text,
  -- The time step of the last code that was accepted. Only codes of later steps are accepted, so each code works once.
  add column totp_step bigint,
  -- The hashes of the recovery codes that have not been used.
  add column recovery_hashes bytea[] not null default '{}';
