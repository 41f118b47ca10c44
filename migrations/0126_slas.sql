-- Conversations whose clocks may have changed. Each change adds a row, so that no two changes wait for each other.
create table sla_turns (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  conversation_id text collate "C" not null,
  due_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
create index sla_turns_due on sla_turns (due_at);
create index sla_turns_company on sla_turns (company_id, due_at);
create index sla_turns_conversation on sla_turns (company_id, conversation_id);
call tenant_table('sla_turns');
