-- Which process holds a connection to an inbox's network on which the network says that something has arrived (IMAP IDLE).
set local lock_timeout = '2s';

alter table inbox_fetches
  add column watched_by text,
  -- Until then the process of watched_by watches, or nobody does because the network does not offer it or has just ended it.
  add column watched_until timestamptz(3),
  -- True when something has arrived since the inbox was claimed last.
  -- squawk-ignore adding-field-with-default
  add column has_news boolean not null default false;
