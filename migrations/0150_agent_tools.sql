-- What the model of an agent may do, within which tables and which budget, and what it has done in a turn.
alter table agents add column tools text[] not null default '{SEARCH_KNOWLEDGE}';

-- The tables whose rows an agent may read.
create table agent_tables (
  company_id text collate "C" not null references companies,
  agent_id text collate "C" not null,
  table_id text collate "C" not null,
  primary key (company_id, agent_id, table_id),
  foreign key (company_id, agent_id) references agents on delete cascade,
  constraint agent_tables_table_ref foreign key (company_id, table_id) references tables on delete cascade
);
create index agent_tables_table on agent_tables (company_id, table_id);
call tenant_table('agent_tables');

alter table agent_turns
  -- [{tool, arguments, is_done, note}]
  add column actions jsonb not null default '[]',
  -- The file that was sent with the answer; null without one.
  add column file_message_id text collate "C";

-- How often an answer in the making was ended by a later message. The next one waits longer each time.
alter table pending_turns add column overtaken integer not null default 0;

-- The tokens that the agents of a company have used on a day (UTC).
create table agent_budgets (
  company_id text collate "C" not null references companies,
  day date not null,
  tokens bigint not null,
  primary key (company_id, day)
);
call tenant_table('agent_budgets');
