-- A person is who reads the mails of an address, and has one password, however many companies have this person among their users.
-- It belongs to no company, so only the system's role sees it.
create table people (
  -- In small letters, as users are compared.
  email text collate "C" primary key,
  password_hash text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
grant select, insert, update, delete on people to parley_system;

-- When the person behind the address agreed to belong to the company, by a mailed link. Null: was invited and has not come.
alter table users add column accepted_at timestamptz(3);

-- When an address was last mailed a link: by whoever forgot a password (no company), and by each company that invites it. It outlives
-- users and links, so that removing them mails nobody sooner.
create table mailed_links (
  company_id text collate "C" references companies,
  email text collate "C" not null,
  mailed_at timestamptz(3) not null
);
create unique index mailed_links_address on mailed_links (company_id, email) nulls not distinct;
create index mailed_links_age on mailed_links (mailed_at);
call tenant_table('mailed_links');

-- Until now an address was one user's. The old column stays, empty, until no process asks for it any more: one that is older than this
-- then refuses a log-in, which is better than to take a password that was replaced since.
-- Row-level security binds the owner of the tables, too; it lets the system see all of them.
set local role parley_system;
insert into people (email, password_hash)
  select lower(email), password_hash from users where password_hash is not null;
update users set accepted_at = updated_at, password_hash = null where password_hash is not null;
-- Who made the keys of before, once more: an owner whom row-level security binds saw none of them when it was filled in.
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
