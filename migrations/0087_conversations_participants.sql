-- The users who follow a conversation. A user who has unfollowed it keeps a row, so that the next reply does not make the user follow it again.
create table conversation_participants (
  company_id text collate "C" not null references companies,
  conversation_id text collate "C" not null,
  user_id text collate "C" not null,
  follows boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, conversation_id, user_id),
  foreign key (company_id, conversation_id) references conversations on delete cascade,
  constraint conversation_participants_user_ref foreign key (company_id, user_id) references users on delete cascade
);
create index conversation_participants_user on conversation_participants (company_id, user_id);
call tenant_table('conversation_participants');
