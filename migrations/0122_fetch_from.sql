-- Where an inbox begins to be fetched: the end of its mailbox at the moment at which the network accepted its credentials.
alter table inboxes add column fetch_from jsonb;
