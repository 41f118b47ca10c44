-- What agents may look up, which answers wait, what they have done, and their follow-ups.

-- The conversations in which an agent has to answer: one row for each, however many messages wait for the answer.
create table pending_turns (
  company_id text collate "C" not null references companies,
  conversation_id text collate "C" not null,
  message_id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  -- The first message that waits for the answer; the later ones wait as well.
  first_message_id text collate "C",
  -- The time of that message. The answer waits a moment for further messages, but not for ever.
  first_at timestamptz(3) not null default now(),
  -- Whether a worker may take the turn now.
  is_waiting boolean not null default false,
  -- When a worker took the turn last; null while nobody works on it. A later message makes it null, so that the answer in the making is dropped.
  claimed_at timestamptz(3),
  -- The turn may be taken after this time: no further message has come, or its worker has died.
  held_until timestamptz(3),
  -- How often the work on this answer was begun.
  attempts integer not null default 0,
  -- How often an answer in the making was ended by a later message. The next one waits longer each time.
  overtaken integer not null default 0,
  primary key (company_id, conversation_id),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
create index pending_turns_waiting on pending_turns (company_id, first_at) where is_waiting;
create index pending_turns_held on pending_turns (held_until) where not is_waiting;
call tenant_table('pending_turns');

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
  -- [{tool, arguments, is_done, note}]
  actions jsonb not null default '[]',
  -- The file that was sent with the answer; null without one.
  file_message_id text collate "C",
  -- [{message, name, read_as, characters, pictures, note}]: the files of the contact.
  files jsonb not null default '[]',
  -- {amount, currency}, by the prices of that time.
  cost jsonb,
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

-- The tokens that the agents of a company have used on a day (UTC).
create table agent_budgets (
  company_id text collate "C" not null references companies,
  day date not null,
  tokens bigint not null,
  primary key (company_id, day)
);
call tenant_table('agent_budgets');

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

-- What stands in documents of contacts, and what is said in their voice notes, so that each is found out once. It goes with its file.
create table agent_file_texts (
  company_id text collate "C" not null references companies,
  attachment_id text collate "C" not null,
  -- The model that has listened; null for a document.
  model text,
  -- Empty for a document without text.
  content text not null,
  -- The document has more text than that.
  is_cut boolean not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, attachment_id),
  foreign key (company_id, attachment_id) references attachments on delete cascade
);
call tenant_table('agent_file_texts');

-- Servers whose tools the agents of a company may call, over MCP.
create table mcp_servers (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  url text not null,
  header_name text,
  -- Encrypted.
  header_value text,
  -- [{name, description, input_schema, status}]: the tools as a person has approved them. CHANGED and MISSING ones are offered to no model.
  tools jsonb not null default '[]',
  -- When it was looked at last, and what was wrong with the server then.
  checked_at timestamptz(3),
  error text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create index mcp_servers_list on mcp_servers (company_id, created_at desc, _id desc);
create index mcp_servers_updated on mcp_servers (company_id, updated_at desc, _id desc);
call tenant_table('mcp_servers');

-- The servers whose tools an agent may call.
create table agent_mcp_servers (
  company_id text collate "C" not null references companies,
  agent_id text collate "C" not null,
  server_id text collate "C" not null,
  primary key (company_id, agent_id, server_id),
  foreign key (company_id, agent_id) references agents on delete cascade,
  foreign key (company_id, server_id) references mcp_servers on delete cascade
);
create index agent_mcp_servers_server on agent_mcp_servers (company_id, server_id);
call tenant_table('agent_mcp_servers');

create table follow_ups (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  agent_id text collate "C" not null,
  conversation_id text collate "C" not null,
  -- Which of the agent's follow-ups, from 0. One that the model has chosen comes after all of them.
  index integer not null,
  content text not null,
  -- {name, language, components}: what is sent where the reply window has closed.
  template jsonb,
  status text not null default 'SCHEDULED' check (status in ('SCHEDULED', 'SENT', 'CANCELLED', 'FAILED')),
  scheduled_at timestamptz(3) not null,
  sent_at timestamptz(3),
  cancel_reason text,
  -- The message, from the moment in which it is stored to be sent.
  message_id text collate "C",
  -- While the network is called: when the worker that calls it counts as dead.
  settle_until timestamptz(3),
  -- Whether a worker may take it now; when one took it last; and when it is due, or may be taken again after its worker has died.
  is_waiting boolean not null default false,
  claimed_at timestamptz(3),
  held_until timestamptz(3),
  attempts integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, agent_id) references agents,
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
-- A conversation waits for one follow-up at a time. The next one may be scheduled while one is being sent.
create unique index follow_ups_next_key on follow_ups (company_id, conversation_id) where status = 'SCHEDULED' and message_id is null;
create index follow_ups_list on follow_ups (company_id, created_at desc, _id desc);
create index follow_ups_updated on follow_ups (company_id, updated_at desc, _id desc);
create index follow_ups_agent on follow_ups (company_id, agent_id, created_at desc, _id desc);
create index follow_ups_conversation on follow_ups (company_id, conversation_id, created_at desc, _id desc);
create index follow_ups_waiting on follow_ups (company_id, scheduled_at) where is_waiting;
create index follow_ups_held on follow_ups (held_until) where status = 'SCHEDULED' and not is_waiting;
create index follow_ups_unsettled on follow_ups (settle_until) where settle_until is not null;
call tenant_table('follow_ups');

-- Whatever takes a conversation from its agent cancels the follow-up that waits: a person, a change of many conversations, a merge, an end.
create function cancel_follow_up() returns trigger
  language plpgsql set search_path from current as $$
begin
  update follow_ups set status = 'CANCELLED', is_waiting = false, updated_at = now(),
    cancel_reason = case when new.status = 'CLOSED' then 'CONVERSATION_CLOSED' else 'HANDED_OVER' end
  where company_id = new.company_id and conversation_id = new._id and status = 'SCHEDULED' and message_id is null;
  return null;
end
$$;
create trigger left_agent after update of status, handled_by, agent_id on conversations
  for each row when (old.handled_by = 'AI' and old.status <> 'CLOSED'
    and (new.handled_by <> 'AI' or new.status = 'CLOSED' or new.agent_id is distinct from old.agent_id))
  execute function cancel_follow_up();
