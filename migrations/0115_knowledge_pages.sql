-- How many pages the file of an item has, and how many of them were read; null before the first one, and for items without pages.
set local lock_timeout = '2s';
alter table knowledge_items
  add column pages integer,
  add column pages_read integer;
