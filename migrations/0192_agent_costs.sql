-- What a turn of an agent costs, and how many tokens a conversation may use.
set local lock_timeout = '2s';

alter table agents
  -- {currency, input, output}: what a model takes for a million tokens that it reads, and that it writes.
  add column prices jsonb;
alter table agent_turns
  -- {amount, currency}, by the prices of that time.
  add column cost jsonb;

-- The tokens that agents have used in a conversation on a day (UTC).
create table agent_conversation_budgets (
  company_id text collate "C" not null references companies,
  conversation_id text collate "C" not null,
  day date not null,
  tokens bigint not null,
  primary key (company_id, conversation_id, day),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
create index agent_conversation_budgets_day on agent_conversation_budgets (day);
call tenant_table('agent_conversation_budgets');
