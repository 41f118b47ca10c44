-- Actions that the platform makes on a conversation when something happens in it and the conditions hold.
create table rules (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  event text not null check (event in ('MESSAGE_RECEIVED', 'CONVERSATION_OPENED', 'CONVERSATION_ASSIGNED', 'CONVERSATION_CLOSED', 'TAG_ADDED',
    'REPLY_OVERDUE')),
  -- For REPLY_OVERDUE: how long the contact has waited.
  after_minutes integer check ((after_minutes is not null) = (event = 'REPLY_OVERDUE')),
  is_active boolean not null,
  -- Rules of the same event run in this order.
  position integer not null,
  -- [{match, conditions}]: each of these groups must hold.
  conditions jsonb not null,
  actions jsonb not null,
  record_bytes integer not null
    generated always as (octet_length(name) + octet_length(conditions::text) + octet_length(actions::text) + 300) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id)
);
create index rules_list on rules (company_id, created_at desc, _id desc);
create index rules_updated on rules (company_id, updated_at desc, _id desc);
create index rules_active on rules (company_id, event) where is_active;
call tenant_table('rules');

-- What has happened and rules wait for, until all of them have looked at it. Only events for which the company has a rule are written.
create table rule_events (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  event text not null,
  conversation_id text collate "C" not null,
  -- The message that a contact wrote; null for other events.
  message_id text collate "C",
  -- Whether a machine wrote the message, such as another auto-responder: no rule replies to it.
  is_automatic boolean not null default false,
  -- For REPLY_OVERDUE: the rule, and since when the contact had waited.
  rule_id text collate "C",
  awaited_at timestamptz(3),
  is_waiting boolean not null default true,
  claimed_at timestamptz(3),
  held_until timestamptz(3),
  attempts integer not null default 0,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
create index rule_events_waiting on rule_events (company_id, created_at) where is_waiting;
create index rule_events_held on rule_events (held_until) where not is_waiting;
create index rule_events_conversation on rule_events (company_id, conversation_id);
create index rule_events_rule on rule_events (company_id, rule_id) where rule_id is not null;
call tenant_table('rule_events');

-- What rules have done. The key makes each event run a rule at most once. The runs of a removed rule go with the old ones, because there may
-- be very many.
create table rule_runs (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  rule_id text collate "C" not null,
  event_id text collate "C" not null,
  event text not null,
  conversation_id text collate "C" not null,
  message_id text collate "C",
  status text not null check (status in ('DONE', 'FAILED')),
  -- Why its reply was left out.
  reply_skipped text check (reply_skipped in ('RECENT', 'AUTOMATIC')),
  -- The scheduled message that sends its reply.
  scheduled_id text collate "C",
  -- {code, message}
  failure jsonb,
  record_bytes integer not null generated always as (coalesce(octet_length(failure::text), 0) + 300) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
create unique index rule_runs_event_key on rule_runs (company_id, rule_id, event_id);
create index rule_runs_list on rule_runs (company_id, rule_id, created_at desc, _id desc);
create index rule_runs_updated on rule_runs (company_id, rule_id, updated_at desc, _id desc);
create index rule_runs_conversation on rule_runs (company_id, conversation_id, rule_id, created_at desc);
call tenant_table('rule_runs');
