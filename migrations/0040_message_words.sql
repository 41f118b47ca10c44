-- What the network reports about a message beside its content: that it was forwarded, and the data of an unsupported message.
set local lock_timeout = '2s';
alter table messages
  add column forwarded text,
  add column unsupported jsonb;
-- When the person told the network whether they want messages. Callbacks arrive in any order, so only the newest choice counts.
alter table contacts add column opted_out_told_at timestamptz(3);
