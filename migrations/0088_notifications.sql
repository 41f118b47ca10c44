create table notifications (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  -- The user who is notified.
  user_id text collate "C" not null,
  kind text not null check (kind in ('ASSIGNED', 'MENTIONED', 'REPLIED', 'UNASSIGNED_NEW')),
  -- Null when the notification stands for several conversations.
  conversation_id text collate "C",
  -- The newest message of the contact, or the note.
  message_id text collate "C",
  -- The user, key, agent, campaign or follow-up that caused it, with its name at that time; null for the contact and the platform.
  actor_type text,
  actor_id text collate "C",
  actor_name text,
  -- How many messages, mentions or conversations it stands for.
  count integer not null default 1,
  read_at timestamptz(3),
  -- When it was last raised.
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  foreign key (company_id, user_id) references users on delete cascade,
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
-- A user has one unread notification of a kind about a conversation.
create unique index notifications_unread_key on notifications (company_id, user_id, kind, conversation_id) where read_at is null;
create index notifications_list on notifications (company_id, user_id, created_at desc, _id desc);
create index notifications_updated on notifications (company_id, user_id, updated_at desc, _id desc);
create index notifications_conversation on notifications (company_id, conversation_id, user_id);
call tenant_table('notifications');

-- What a user has chosen. A kind without a row has its default.
create table notification_settings (
  company_id text collate "C" not null references companies,
  user_id text collate "C" not null,
  kind text not null check (kind in ('ASSIGNED', 'MENTIONED', 'REPLIED', 'UNASSIGNED_NEW')),
  in_console boolean not null,
  in_browser boolean not null,
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, user_id, kind),
  foreign key (company_id, user_id) references users on delete cascade
);
create index notification_settings_queue on notification_settings (company_id, user_id) where kind = 'UNASSIGNED_NEW' and in_console;
call tenant_table('notification_settings');
