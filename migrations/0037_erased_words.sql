-- What an erased contact said and was called is erased from the log of deliveries, too.

-- The bodies of deliveries name the contact that they tell of by its id at that time: one that was merged into another since then
-- is found by this.
create table absorbed_contacts (
  company_id text collate "C" not null references companies,
  -- Of the contact that is gone.
  _id text collate "C" not null,
  contact_id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, contact_id) references contacts on delete cascade
);
create index absorbed_contacts_contact on absorbed_contacts (company_id, contact_id);
call tenant_table('absorbed_contacts');

-- When the words were taken out of the body; such a line can not be sent again.
alter table deliveries add column redacted_at timestamptz(3);
