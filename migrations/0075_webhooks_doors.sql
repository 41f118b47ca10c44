-- Webhooks that clients of other systems have registered through a door, in the format of their system.

create table door_webhooks (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  door text not null,
  -- Null for the events of all inboxes.
  inbox_id text collate "C",
  url text not null,
  -- The door's own names.
  events text[] not null,
  -- {name: value}, encrypted as one text.
  custom_headers text not null,
  options jsonb not null,
  -- The encrypted API key that each delivery contains, so that the receiver can call back; null without include_apikey.
  api_key text,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  -- As that of webhooks.
  epoch integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint door_webhooks_inbox_ref foreign key (company_id, inbox_id) references inboxes on delete cascade
);
create unique index door_webhooks_place on door_webhooks (company_id, inbox_id, door) nulls not distinct;
create index door_webhooks_list on door_webhooks (company_id, created_at desc, _id desc);
create index door_webhooks_updated on door_webhooks (company_id, updated_at desc, _id desc);
call tenant_table('door_webhooks');

-- Which of them wants which event, and under which name of the door (`form`): a row for each event of an ACTIVE one. Every emit reads these
-- rows.
create table door_listeners (
  company_id text collate "C" not null references companies,
  event text not null,
  webhook_id text collate "C" not null,
  form text not null,
  inbox_id text collate "C",
  epoch integer not null,
  primary key (company_id, event, webhook_id, form)
);
create index door_listeners_webhook on door_listeners (company_id, webhook_id);
call tenant_table('door_listeners');

-- The door's name of the event of a delivery to one of these webhooks; null for a delivery to the company's webhook. The body is the same.
alter table deliveries add column form text;
