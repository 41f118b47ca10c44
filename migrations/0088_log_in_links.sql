-- A link either sets a password or logs a browser in, and never does both.
alter table password_tokens add column purpose text collate "C" not null default 'PASSWORD'
  constraint password_tokens_purpose check (purpose in ('PASSWORD', 'LOG_IN'));
