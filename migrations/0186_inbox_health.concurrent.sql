-- When the last message of an inbox came in and went out, and what failed within the last day. A column of the inbox would be one row that
-- every message of the number writes and waits for.
create index concurrently if not exists messages_received on messages (company_id, inbox_id, created_at desc) where message_type = 'INCOMING';
create index concurrently if not exists messages_accepted on messages (company_id, inbox_id, sent_at desc)
  where message_type = 'OUTGOING' and sent_at is not null;
create index concurrently if not exists messages_failed_inbox on messages (company_id, inbox_id, failed_at desc) where failed_at is not null;
