-- The away texts of inboxes, as they are sent: one for each conversation in which the contact writes, and time in which the inbox is closed.
create table away_texts (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  conversation_id text collate "C" not null,
  -- When the inbox opens again, as it was when the contact wrote; infinity if it never does.
  closed_until timestamptz(3) not null,
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
  primary key (company_id, _id),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
create unique index away_texts_once on away_texts (company_id, conversation_id, closed_until);
create index away_texts_waiting on away_texts (company_id, created_at) where is_waiting;
create index away_texts_held on away_texts (held_until) where ended_at is null and not is_waiting;
create index away_texts_unsettled on away_texts (settle_until) where settle_until is not null;
call tenant_table('away_texts');
