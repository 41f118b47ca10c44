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

-- When the person accepted the invitation of the company by a mailed link. Null for a user who has not accepted it yet.
alter table users add column accepted_at timestamptz(3);

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

-- Until now an e-mail address belonged to one user. The old password column stays, empty, until no process reads it any more: a process of
-- an older version then refuses every log-in, which is better than accepting a password that was replaced since. Row-level security also
-- applies to the owner of the tables, so the system role does this.
set local role parley_system;
insert into people (email, password_hash)
  select lower(email), password_hash from users where password_hash is not null;
update users set accepted_at = updated_at, password_hash = null where password_hash is not null;
-- Fills in the creators of older keys once more, because the first time row-level security hid all keys from the owner of the tables.
update api_keys k set created_by = a.actor_id
from audit_log a
where k.created_by is null and a.action = 'api-keys.create' and a.resource_id = k._id
  and a.company_id is not distinct from k.company_id
  and (
    a.actor_type = 'USER'
    or a.actor_type = 'KEY'
      and exists (select 1 from api_keys m where m._id = a.actor_id and m.company_id is not distinct from k.company_id)
  );
reset role;
