-- In each company an e-mail address belongs to one user.
create unique index concurrently if not exists users_company_email_key on users (company_id, lower(email));
-- A log-in names no company, so users are found by their address alone.
create index concurrently if not exists users_email on users (lower(email));
drop index concurrently if exists users_email_key;
-- Finds the keys that a user or a key created.
create index concurrently if not exists api_keys_maker on api_keys (company_id, created_by) where created_by is not null;
