-- When a company answers: weekly hours in a time zone, and dates with hours of their own.
create table business_hours (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  time_zone text not null,
  -- [{day, from, to}]
  days jsonb not null,
  -- [{date, name, spans: [{from, to}]}]; a date without spans is closed.
  special_dates jsonb not null default '[]',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create index business_hours_list on business_hours (company_id, created_at desc, _id desc);
create index business_hours_updated on business_hours (company_id, updated_at desc, _id desc);
call tenant_table('business_hours');

-- Null: always open.
alter table inboxes add column business_hours text collate "C";
alter table inboxes add constraint inboxes_business_hours_ref foreign key (company_id, business_hours) references business_hours not valid;
-- What contacts who write outside of these hours are sent; null for nothing.
alter table inboxes add column away_text text;
