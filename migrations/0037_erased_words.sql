-- The words and names of an erased contact are also erased from the log of deliveries.

-- The body of a delivery contains the id that its contact had at that time. This table finds the bodies of contacts that were merged into
-- another contact since then.
create table absorbed_contacts (
  company_id text collate "C" not null references companies,
  -- The id of the contact that was merged into the other one.
  _id text collate "C" not null,
  contact_id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, contact_id) references contacts on delete cascade
);
create index absorbed_contacts_contact on absorbed_contacts (company_id, contact_id);
call tenant_table('absorbed_contacts');

-- When the words were erased from the body. Such a delivery can not be sent again.
alter table deliveries add column redacted_at timestamptz(3);
