-- How the network rates the number of an inbox: {quality_rating, sending, problems, checked_at}.
set local lock_timeout = '2s';

alter table inboxes add column standing jsonb;

-- Inboxes in live streams. A row changes when somebody changes the inbox and when the network is asked, never with a message.
create trigger noted_insert after insert on inboxes referencing new table as written
  for each statement execute function note_changes('inboxes');
create trigger noted_update after update on inboxes referencing new table as written
  for each statement execute function note_changes('inboxes');
