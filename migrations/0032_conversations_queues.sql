-- Queues of conversations: people whom a campaign has reached stay out of the queue of unassigned ones until they reply, and a conversation
-- that comes back from a snooze is marked until somebody has seen it.
alter table conversations add column awaits_reply boolean not null default false;
alter table conversations add column woken_at timestamptz(3);
update conversations set awaits_reply = true where status <> 'CLOSED' and campaign_id is not null and last_inbound_at is null;
