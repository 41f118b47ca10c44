-- How long a contact waits for an answer, and how urgent a conversation is. The list by waiting time is read from conversation_activity, because an
-- index of conversations would have to be written for each first message and each answer. Conversations from before have no waiting time until
-- their contact writes again.
alter table conversations add column waiting_since timestamptz(3);
alter table conversation_activity add column awaited_at timestamptz(3);
-- 0 for none, then LOW, MEDIUM, HIGH and URGENT.
alter table conversations add column priority integer not null default 0;
