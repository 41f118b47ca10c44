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
