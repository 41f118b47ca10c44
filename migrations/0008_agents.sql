-- The agents that answer contacts.

create table agents (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  type text not null default 'AI' check (type in ('AI', 'EXTERNAL')),
  url text,
  specialist_url text,
  description text,
  -- The model that answers; null for the one that the installation is set up with.
  model text,
  instructions text,
  -- Whether the model sees the pictures that contacts send, and which model listens to their voice notes; null for none.
  vision boolean not null default false,
  transcription_model text,
  -- {currency, input, output}: what the model takes for a million tokens that it reads, and that it writes.
  prices jsonb,
  -- ALL: the agent looks up every item of its company; LISTED: those of agent_knowledge, even when none is left.
  knowledge_scope text not null default 'ALL' check (knowledge_scope in ('ALL', 'LISTED')),
  -- {enabled, keywords, max_turns}
  handoff jsonb not null default '{"enabled": true, "keywords": [], "max_turns": 20}',
  -- What its model may do.
  tools text[] not null default '{SEARCH_KNOWLEDGE}',
  -- What it writes to a contact who has not answered:
  -- [{delay_minutes, content, template}]
  follow_ups jsonb not null default '[]',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create index agents_list on agents (company_id, created_at desc, _id desc);
create index agents_updated on agents (company_id, updated_at desc, _id desc);
call tenant_table('agents');
