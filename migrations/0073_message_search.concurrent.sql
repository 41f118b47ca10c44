-- The words of the messages that were there before. New messages are stored meanwhile.
set role parley_system;
insert into message_search (company_id, _id, inbox_id, created_at, words)
  select company_id, _id, inbox_id, created_at, message_words(company_id, coalesce(content, '')) from messages
  on conflict do nothing;
-- A message may have been erased while its words were read.
delete from message_search s where not exists (select from messages m where m.company_id = s.company_id and m._id = s._id);
reset role;
-- The order of the list, of a company and of an inbox.
create index concurrently if not exists message_search_list on message_search (company_id, created_at desc, _id desc);
create index concurrently if not exists message_search_inbox on message_search (company_id, inbox_id, created_at desc, _id desc);
-- Each look-up reads through the pending list, so it is limited to half a megabyte.
create index concurrently if not exists message_search_words on message_search using gin (words) with (gin_pending_list_limit = 512);
