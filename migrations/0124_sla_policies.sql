-- How soon conversations are to be answered and closed. The first policy in the order of positions that applies to a conversation counts.
create table sla_policies (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  first_reply_minutes integer,
  next_reply_minutes integer,
  close_minutes integer,
  -- Whether only the business hours of the inbox count.
  within_business_hours boolean not null,
  -- Where it applies; null for everywhere.
  inboxes text[] collate "C",
  teams text[] collate "C",
  priorities text[],
  position integer not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create index sla_policies_list on sla_policies (company_id, created_at desc, _id desc);
create index sla_policies_updated on sla_policies (company_id, updated_at desc, _id desc);
call tenant_table('sla_policies');
