-- Which agent writes for the people of a company, and what. A company without a row has this off, and so has one whose agent is removed.
create table assist_settings (
  company_id text collate "C" not null references companies,
  agent_id text collate "C" not null,
  acts text[] not null,
  updated_at timestamptz(3) not null default now(),
  primary key (company_id),
  foreign key (company_id, agent_id) references agents on delete cascade
);
create index assist_settings_agent on assist_settings (company_id, agent_id);
call tenant_table('assist_settings');
