-- The index of words has the messages of a large company in parts of some 65,536, by the times at which they were created.
create table message_parts (
  company_id text collate "C" not null references companies,
  part integer not null generated always as identity,
  -- When its first message may have been created. It ends where the next one starts. Messages before the first part are in none.
  starts_at timestamptz(3) not null,
  -- The number of older messages that were moved into it.
  moved integer not null default 0,
  -- Whether older messages may have to move, for the first part of a company.
  is_filling boolean not null default false,
  primary key (company_id, starts_at)
);
create index message_parts_filling on message_parts (company_id) where is_filling;
call tenant_table('message_parts');
alter table message_search add column part integer;
-- A search reads through the pending list with each part.
alter index message_search_words set (gin_pending_list_limit = 64);
