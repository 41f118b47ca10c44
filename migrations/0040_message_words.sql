-- What the network says of a message beside its content: that it was passed on, and what an unsupported one was.
set local lock_timeout = '2s';
alter table messages
  add column forwarded text,
  add column unsupported jsonb;
-- The network's last word on whether a person wants messages, and when it was said: callbacks come in any order.
alter table contacts add column opted_out_told_at timestamptz(3);
