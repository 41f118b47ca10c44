-- Returns the configuration with which PostgreSQL finds the stems of a language.
create or replace function stem_rules(language text) returns regconfig
language sql immutable parallel safe
return case language when 'pt' then 'pg_catalog.portuguese'::regconfig when 'es' then 'pg_catalog.spanish'::regconfig
  else 'pg_catalog.english'::regconfig end;

-- Returns the stems of a passage without case and accents. Those of its headings weigh more.
create or replace function passage_stems(language text, headings text, content text) returns tsvector
language sql immutable parallel safe
return setweight(to_tsvector(stem_rules(language), fold(headings)), 'B') || to_tsvector(stem_rules(language), fold(content));

-- Returns the query for the stems that a word of a question has in any of the languages, because the language of a question is unknown. It
-- is null for a word that is too frequent in one of the languages to say anything, such as "the".
create or replace function word_query(word text) returns tsquery
language sql immutable parallel safe
return (select case when bool_and(cardinality(coalesce(frequent, '{-}')) > 0 and cardinality(stems) > 0)
    then string_agg(distinct quote_literal(stems[1]), ' | ')::tsquery end
  from (values (ts_lexize('pg_catalog.portuguese_stem', lower(word)), ts_lexize('pg_catalog.portuguese_stem', fold(word))),
      (ts_lexize('pg_catalog.english_stem', lower(word)), ts_lexize('pg_catalog.english_stem', fold(word))),
      (ts_lexize('pg_catalog.spanish_stem', lower(word)), ts_lexize('pg_catalog.spanish_stem', fold(word)))) found (frequent, stems));

create or replace trigger inserted after insert on knowledge_items referencing new table as written
  for each statement execute function count_inserted();
create or replace trigger deleted after delete on knowledge_items referencing old table as gone
  for each statement execute function count_deleted();
create or replace trigger updated after update of record_bytes on knowledge_items for each row
  when (old.record_bytes <> new.record_bytes) execute function count_updated();
