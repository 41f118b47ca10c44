-- Single sign-on by OpenID Connect: the provider of a company, and the domains whose users it logs in.
create table single_sign_on (
  company_id text collate "C" primary key references companies,
  enabled boolean not null,
  issuer text not null,
  client_id text not null,
  -- Encrypted. Null for a client without a secret.
  client_secret text,
  -- Whether the first log-in of an unknown person creates a user, and with which role.
  create_users boolean not null,
  role text not null check (role in ('OWNER', 'ADMIN', 'OPERATOR', 'VIEWER')),
  -- Whether an address counts that the provider does not call verified.
  trust_unverified_email boolean not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
call tenant_table('single_sign_on');

-- The log-in page knows only the domain of an address, so a domain belongs to one company.
create table single_sign_on_domains (
  company_id text collate "C" not null references companies,
  domain text collate "C" not null,
  primary key (company_id, domain),
  constraint single_sign_on_domains_domain_key unique (domain)
);
call tenant_table('single_sign_on_domains');

alter table companies
  -- Only owners log in with a password.
  add column single_sign_on_only boolean not null default false,
  -- A log-in by single sign-on needs no second factor of the platform.
  add column single_sign_on_suffices boolean not null default true;

-- The account at the company's provider that logs in as this user.
alter table users
  add column single_sign_on_issuer text,
  add column single_sign_on_subject text;

-- Whether the provider has logged the user in.
alter table browser_sessions add column single_sign_on boolean not null default false;
