-- Campaigns: templates to many contacts, as one message or as a sequence of steps.
create table campaigns (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  description text,
  inbox_id text collate "C" not null,
  status text not null default 'DRAFT' check (status in (
    'DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED', 'FAILED'
  )),
  -- [{delay_minutes, template: {name, language, components}, funnel_step}], in their order.
  steps jsonb not null,
  -- {filters, tags, contacts}: whom it is for, as the caller gave it.
  audience jsonb not null,
  agent_id text collate "C",
  owner_id text collate "C",
  -- {messages_per_minute, time_zone, sending_hours, error_threshold, stop_on_reply, send_to_active_conversations}
  options jsonb not null,
  scheduled_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  record_bytes integer not null generated always as (
    1500 + json_bytes(name || coalesce(description, '')) + octet_length(steps::text) + octet_length(audience::text)
      + octet_length(options::text)
  ) stored,
  primary key (company_id, _id),
  constraint campaigns_inbox_ref foreign key (company_id, inbox_id) references inboxes,
  constraint campaigns_agent_ref foreign key (company_id, agent_id) references agents,
  constraint campaigns_owner_ref foreign key (company_id, owner_id) references users on delete set null (owner_id)
)
with (fillfactor = 70);
create index campaigns_list on campaigns (company_id, created_at desc, _id desc);
create index campaigns_updated on campaigns (company_id, updated_at desc, _id desc);
create index campaigns_inbox on campaigns (company_id, inbox_id);
create index campaigns_agent on campaigns (company_id, agent_id) where agent_id is not null;
create index campaigns_owner on campaigns (company_id, owner_id) where owner_id is not null;
call tenant_table('campaigns');
create trigger inserted after insert on campaigns referencing new table as written
  for each statement execute function count_inserted();
create trigger deleted after delete on campaigns referencing old table as gone
  for each statement execute function count_deleted();
create trigger updated after update of record_bytes on campaigns
  for each row when (old.record_bytes <> new.record_bytes) execute function count_updated();
