-- What contacts are asked when their conversation has been closed; null for nothing.
alter table inboxes add column csat_question text;

-- The question, as it is sent, and the score that the contact gives.
create table csat_surveys (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  conversation_id text collate "C" not null,
  inbox_id text collate "C" not null,
  -- What the inbox asked at that moment.
  question text not null,
  -- Who is rated: the user or the agent for whom the close counts, and the team of that moment.
  user_id text collate "C",
  agent_id text collate "C",
  team_id text collate "C",
  score integer check (score between 1 and 5),
  comment text,
  rated_at timestamptz(3),
  ended_at timestamptz(3),
  -- The message, from the moment in which it is stored to be sent.
  message_id text collate "C",
  -- While the network is called: when the worker that calls it counts as dead.
  settle_until timestamptz(3),
  -- Whether a worker may take it now; when one took it last; and when it may be taken again after its worker has died.
  is_waiting boolean not null default true,
  claimed_at timestamptz(3),
  held_until timestamptz(3),
  attempts integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, conversation_id) references conversations on delete cascade,
  foreign key (company_id, user_id) references users on delete set null (user_id),
  foreign key (company_id, agent_id) references agents on delete set null (agent_id),
  foreign key (company_id, team_id) references teams
);
create index csat_surveys_listed on csat_surveys (company_id, created_at, _id) where message_id is not null;
create index csat_surveys_conversation on csat_surveys (company_id, conversation_id, created_at);
create index csat_surveys_agent on csat_surveys (company_id, agent_id) where agent_id is not null;
create index csat_surveys_waiting on csat_surveys (company_id, created_at) where is_waiting;
create index csat_surveys_held on csat_surveys (held_until) where ended_at is null and not is_waiting;
create index csat_surveys_unsettled on csat_surveys (settle_until) where settle_until is not null;
call tenant_table('csat_surveys');

alter table messages drop constraint messages_origin_check;
alter table messages add constraint messages_origin_check
  check (origin in ('API', 'DASHBOARD', 'AGENT', 'CAMPAIGN', 'BULK', 'FOLLOWUP', 'RULE', 'AWAY', 'CSAT', 'BUSINESS_APP', 'CHANNEL')) not valid;
alter table report_facts drop constraint report_facts_kind_check;
alter table report_facts add constraint report_facts_kind_check check (kind in ('OPENED', 'REOPENED', 'CLOSED', 'GONE', 'FIRST_REPLY', 'REPLIED',
  'ANSWERED', 'HANDED_OVER', 'COST', 'CSAT_SENT', 'CSAT_RATED', 'CSAT_SATISFIED')) not valid;
