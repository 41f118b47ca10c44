-- What an agent does: its instructions, what it may look up, and when a person takes over.
alter table agents
  add column description text,
  -- The model that answers; null for the one that the installation is set up with.
  add column model text,
  add column instructions text,
  -- ALL: the agent looks up every item of its company; LISTED: those of agent_knowledge, even when none is left.
  add column knowledge_scope text not null default 'ALL' check (knowledge_scope in ('ALL', 'LISTED')),
  -- {enabled, keywords, max_turns}
  add column handoff jsonb not null default '{"enabled": true, "keywords": [], "max_turns": 20}';

-- The knowledge items that an agent with the scope LISTED looks up.
create table agent_knowledge (
  company_id text collate "C" not null references companies,
  agent_id text collate "C" not null,
  item_id text collate "C" not null,
  primary key (company_id, agent_id, item_id),
  foreign key (company_id, agent_id) references agents on delete cascade,
  constraint agent_knowledge_item_ref foreign key (company_id, item_id) references knowledge_items on delete cascade
);
create index agent_knowledge_item on agent_knowledge (company_id, item_id);
call tenant_table('agent_knowledge');

-- No agent has answered until now, and answers to old messages would come too late.
delete from pending_turns;
alter table pending_turns
  -- The first message that waits for the answer; the later ones wait as well.
  add column first_message_id text collate "C",
  -- The time of that message. The answer waits a moment for further messages, but not for ever.
  add column first_at timestamptz(3) not null default now(),
  -- Whether a worker may take the turn now.
  add column is_waiting boolean not null default false,
  -- When a worker took the turn last; null while nobody works on it. A later message makes it null, so that the answer in the making is dropped.
  add column claimed_at timestamptz(3),
  -- The turn may be taken after this time: no further message has come, or its worker has died.
  add column held_until timestamptz(3) not null default now(),
  -- How often the work on this answer was begun.
  add column attempts integer not null default 0;

-- Each turn of an agent: what it has looked up, how it has answered, and what that cost.
create table agent_turns (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  agent_id text collate "C" not null,
  conversation_id text collate "C" not null,
  -- The newest message that the turn has read.
  asked_id text collate "C" not null,
  outcome text not null check (outcome in ('ANSWERED', 'HANDED_OVER')),
  -- Why a person took over.
  reason text,
  -- The message that was sent; null when none was.
  message_id text collate "C",
  -- While the network is called for the answer: when the worker that calls it counts as dead.
  settle_until timestamptz(3),
  -- [{item, name, position, score}]
  passages jsonb not null,
  model text,
  input_tokens integer,
  output_tokens integer,
  latency_ms integer not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, agent_id) references agents,
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
create index agent_turns_list on agent_turns (company_id, created_at desc, _id desc);
create index agent_turns_updated on agent_turns (company_id, updated_at desc, _id desc);
create index agent_turns_agent on agent_turns (company_id, agent_id, created_at desc, _id desc);
create index agent_turns_conversation on agent_turns (company_id, conversation_id, created_at desc, _id desc);
create index agent_turns_unsettled on agent_turns (settle_until) where settle_until is not null;
call tenant_table('agent_turns');
