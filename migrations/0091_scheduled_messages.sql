-- Messages that are sent at a time, and messages that are held for some seconds in which their author can take them back.
create table scheduled_messages (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  conversation_id text collate "C" not null,
  -- The user or key in whose name the message is sent: {type, id, name}.
  actor jsonb not null,
  -- What is sent: {contentType, content, attachment, template}.
  message jsonb not null,
  -- The attachment of the message, which cannot be removed before it is sent.
  attachment_id text collate "C",
  reply_to text collate "C",
  cancel_on_reply boolean not null default false,
  -- Whether it is held only so that its author can take it back.
  is_held boolean not null default false,
  status text not null default 'SCHEDULED' check (status in ('SCHEDULED', 'SENT', 'CANCELLED', 'FAILED')),
  send_at timestamptz(3) not null,
  cancel_reason text check (cancel_reason in ('CANCELLED_BY_REQUEST', 'REPLIED')),
  -- {code, message}
  failure jsonb,
  -- The message, from the moment in which it is stored to be sent.
  message_id text collate "C",
  -- While the network is called: when the worker that calls it counts as dead.
  settle_until timestamptz(3),
  -- Whether a worker may take it now; when one took it last; and when it is due, or may be taken again after its worker has died.
  is_waiting boolean not null default false,
  claimed_at timestamptz(3),
  held_until timestamptz(3),
  attempts integer not null default 0,
  record_bytes integer not null generated always as (octet_length(message::text) + octet_length(actor::text) + 300) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, conversation_id) references conversations on delete cascade,
  constraint scheduled_messages_attachment_ref foreign key (company_id, attachment_id) references attachments
);
create index scheduled_messages_list on scheduled_messages (company_id, created_at desc, _id desc);
create index scheduled_messages_updated on scheduled_messages (company_id, updated_at desc, _id desc);
create index scheduled_messages_conversation on scheduled_messages (company_id, conversation_id, created_at desc, _id desc);
create index scheduled_messages_attachment on scheduled_messages (company_id, attachment_id) where attachment_id is not null;
-- What a conversation still waits for.
create index scheduled_messages_open on scheduled_messages (company_id, conversation_id, send_at, _id) where status = 'SCHEDULED';
create index scheduled_messages_waiting on scheduled_messages (company_id, send_at) where is_waiting;
create index scheduled_messages_held on scheduled_messages (held_until) where status = 'SCHEDULED' and not is_waiting;
create index scheduled_messages_unsettled on scheduled_messages (settle_until) where settle_until is not null;
call tenant_table('scheduled_messages');
