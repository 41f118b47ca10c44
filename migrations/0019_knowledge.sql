-- What agents look up: items, their passages with the words that the search compares, and their vectors.

-- Returns the configuration with which PostgreSQL finds the stems of a language.
create function stem_rules(language text) returns regconfig
language sql immutable parallel safe
return case language when 'pt' then 'pg_catalog.portuguese'::regconfig when 'es' then 'pg_catalog.spanish'::regconfig
  else 'pg_catalog.english'::regconfig end;

-- Returns the stems of a passage without case and accents. Those of its headings weigh more.
create function passage_stems(language text, headings text, content text) returns tsvector
language sql immutable parallel safe
return setweight(to_tsvector(stem_rules(language), fold(headings)), 'B') || to_tsvector(stem_rules(language), fold(content));

-- Returns the query for the stems that a word of a question has in any of the languages, because nobody knows the language of a question. It
-- is null for a word that is too frequent in one of the languages to say anything, such as "the".
create function word_query(word text) returns tsquery
language sql immutable parallel safe
return (select case when bool_and(cardinality(coalesce(frequent, '{-}')) > 0 and cardinality(stems) > 0)
    then string_agg(distinct quote_literal(stems[1]), ' | ')::tsquery end
  from (values (ts_lexize('pg_catalog.portuguese_stem', lower(word)), ts_lexize('pg_catalog.portuguese_stem', fold(word))),
      (ts_lexize('pg_catalog.english_stem', lower(word)), ts_lexize('pg_catalog.english_stem', fold(word))),
      (ts_lexize('pg_catalog.spanish_stem', lower(word)), ts_lexize('pg_catalog.spanish_stem', fold(word)))) found (frequent, stems));

-- What a company knows: texts and files, the passages that searches find, and their vectors.
create table knowledge_items (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  type text not null check (type in ('KNOWLEDGE', 'MEDIA')),
  file_type text not null check (file_type in ('PDF', 'DOCX', 'AUTCL', 'IMAGE', 'VIDEO', 'AUDIO', 'DOCUMENT')),
  description text,
  -- The language whose stems the search compares.
  language text not null check (language in ('pt', 'en', 'es')),
  tags text[] not null,
  -- The Markdown of an AUTCL item.
  content text,
  status text not null default 'PROCESSING' check (status in ('PROCESSING', 'READY', 'ERROR')),
  -- {code, message}: why the item is ERROR.
  error jsonb,
  -- Rises with each change of what is searched. `indexed_revision` is the one whose passages searches find; null before the first.
  revision integer not null default 1,
  indexed_revision integer,
  chunk_count integer not null default 0,
  -- Which model has made the vectors of these passages.
  embedding_model text collate "C",
  -- Whether a worker may take the item now, and its place among the items of its company.
  is_waiting boolean not null default true,
  turn_at timestamptz(3) not null default now(),
  -- How often the work on this revision was begun. The number is stored before the work begins, so that work that kills its worker is
  -- counted as well.
  attempts integer not null default 0,
  -- When a worker took it last. It may be taken again after `held_until`: its worker has died, or a pause is over.
  claimed_at timestamptz(3),
  held_until timestamptz(3),
  attachment_id text collate "C",
  pages integer,
  pages_read integer,
  record_bytes integer not null generated always as (
    1000 + json_bytes(name || coalesce(description, '') || coalesce(content, '')) + json_bytes(tags)
  ) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint knowledge_items_attachment_ref foreign key (company_id, attachment_id) references attachments
);
create index knowledge_items_list on knowledge_items (company_id, created_at desc, _id desc);
create index knowledge_items_updated on knowledge_items (company_id, updated_at desc, _id desc);
create index knowledge_items_waiting on knowledge_items (company_id, turn_at) where is_waiting;
create index knowledge_items_held on knowledge_items (held_until) where not is_waiting and held_until is not null;
-- A removed attachment looks for the items that need it.
create index knowledge_items_attachment on knowledge_items (company_id, attachment_id) where attachment_id is not null;
call tenant_table('knowledge_items');
call counted_table('knowledge_items');

create table knowledge_chunks (
  company_id text collate "C" not null references companies,
  item_id text collate "C" not null,
  revision integer not null,
  -- From 0, in the order of the text.
  position integer not null,
  language text not null,
  -- The name of the item and the headings above the passage, the outermost first, one a line.
  headings text not null,
  content text not null,
  stems tsvector not null generated always as (passage_stems(language, headings, content)) stored,
  folded text not null generated always as (fold(headings || ' ' || content)) stored,
  primary key (company_id, item_id, revision, position),
  foreign key (company_id, item_id) references knowledge_items on delete cascade
);
create index knowledge_chunks_stems on knowledge_chunks using gin (company_id, stems);
create index knowledge_chunks_trigrams on knowledge_chunks using gin (company_id, folded gin_trgm_ops);
call tenant_table('knowledge_chunks');

create table knowledge_vectors (
  company_id text collate "C" not null references companies,
  item_id text collate "C" not null,
  revision integer not null,
  -- Which model has made the vectors; those of another model can not be compared with them.
  model text collate "C" not null,
  -- The position of the first of these passages, and how many numbers each vector has. `vectors` has one after the other, as float32 with
  -- the lowest byte first.
  first_position integer not null,
  dimensions integer not null,
  vectors bytea not null,
  primary key (company_id, item_id, revision, model, first_position),
  foreign key (company_id, item_id) references knowledge_items on delete cascade
);
-- Vectors look random, so compressing them would only take time.
alter table knowledge_vectors alter column vectors set storage external;
call tenant_table('knowledge_vectors');

-- One row for each company that has passages.
create table knowledge_libraries (
  company_id text collate "C" primary key references companies,
  passages integer not null,
  -- Rises whenever a search may find something else, so that a copy of the vectors in memory knows that it is outdated.
  version bigint not null
);
call tenant_table('knowledge_libraries');

-- Words that mean the same for a company, for the search in its knowledge.
create table knowledge_synonyms (
  company_id text collate "C" not null references companies,
  -- [{language, words}]
  groups jsonb not null,
  -- Rises with each change, so that processes know when what they keep is old.
  revision integer not null default 1,
  updated_at timestamptz(3) not null default now(),
  primary key (company_id)
);
call tenant_table('knowledge_synonyms');
