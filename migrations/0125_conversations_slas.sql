-- The clocks of open conversations to which a policy applies. Work in the background writes them, after the conversation has changed.
create table conversation_slas (
  company_id text collate "C" not null references companies,
  conversation_id text collate "C" not null,
  policy_id text collate "C" not null,
  -- When the conversation was opened, or reopened last: the clocks of an earlier opening do not count. And since when it is to be closed.
  begun_at timestamptz(3) not null,
  opened_at timestamptz(3) not null,
  -- Whether the clocks stand still because it is snoozed, and when they began again.
  is_held boolean not null,
  resumed_at timestamptz(3),
  first_reply_due_at timestamptz(3),
  next_reply_due_at timestamptz(3),
  close_due_at timestamptz(3),
  -- The earliest of them.
  due_at timestamptz(3),
  -- The target that was missed last, as far as it was told, and is still missed.
  breached_at timestamptz(3),
  -- When the work looks whether the earliest target that it has not told about is missed; null if there is none.
  notice_at timestamptz(3),
  primary key (company_id, conversation_id),
  foreign key (company_id, conversation_id) references conversations on delete cascade
);
create index conversation_slas_notices on conversation_slas (notice_at) where notice_at is not null;
create index conversation_slas_companies on conversation_slas (company_id, notice_at) where notice_at is not null;
call tenant_table('conversation_slas');
