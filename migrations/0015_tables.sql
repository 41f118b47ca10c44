-- The search finds table rows by parts of their values in any column.
create function values_text(data jsonb) returns text
language sql immutable parallel safe
-- Each item of a list is a value of its own. The control character that separates two values occurs in no value and in no search, so no
-- search matches across two values.
return (select string_agg(translate(value #>> '{}', chr(31), chr(30)), chr(31)) from jsonb_path_query(data, '$.*[*]') value);

-- Marks texts for searches of two characters. The index knows trigrams but no pairs, so such a search lists all trigrams that end in the
-- pair and begin with an ASCII character. A pair behind another character is not found by them, so texts with such a pair get this mark;
-- there are few once they are folded.
create function pair_mark(folded text) returns text
language sql immutable parallel safe
return case when octet_length(folded) > char_length(folded) and folded ~ '[^\u0001-\u007f][a-z0-9]{2}' then '+' else '-' end;

-- This rewrites the table once, quickly: no earlier version stored rows.
-- squawk-ignore adding-field-with-default
alter table table_rows add column folded text generated always as (fold(values_text(data))) stored;

-- A table is hidden from everybody as soon as this is set. A job then erases its rows.
alter table tables add column removed_at timestamptz(3);
