-- Rules write messages and change conversations, and inboxes that are closed send away texts.
alter table messages drop constraint messages_origin_check;
alter table messages add constraint messages_origin_check
  check (origin in ('API', 'DASHBOARD', 'AGENT', 'CAMPAIGN', 'BULK', 'FOLLOWUP', 'RULE', 'AWAY', 'BUSINESS_APP', 'CHANNEL')) not valid;
alter table conversation_history drop constraint conversation_history_actor_type_check;
alter table conversation_history add constraint conversation_history_actor_type_check
  check (actor_type in ('USER', 'KEY', 'AGENT', 'CAMPAIGN', 'FOLLOWUP', 'RULE')) not valid;
