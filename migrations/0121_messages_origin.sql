-- Messages that are sent to contacts who write outside of business hours have an origin of their own.
alter table messages drop constraint messages_origin_check,
  add constraint messages_origin_check
    check (origin in ('API', 'DASHBOARD', 'AGENT', 'CAMPAIGN', 'BULK', 'FOLLOWUP', 'AWAY', 'BUSINESS_APP', 'CHANNEL')) not valid;
