-- Rows are found by parts of their values, whatever column these stand in.
create function values_text(data jsonb) returns text
language sql immutable parallel safe
-- Each item of a list counts for itself. What keeps the end of one value apart from the beginning of the next is in no value, and
-- in no search.
return (select string_agg(translate(value #>> '{}', chr(31), chr(30)), chr(31)) from jsonb_path_query(data, '$.*[*]') value);

-- The index knows no pairs of letters, but each trigram that ends in one, and all those of ASCII can be named. What stands after
-- another letter can not: such texts have this mark, and they are few once they are folded.
create function pair_mark(folded text) returns text
language sql immutable parallel safe
return case when octet_length(folded) > char_length(folded) and folded ~ '[^\u0001-\u007f][a-z0-9]{2}' then '+' else '-' end;

-- Rewrites the table once. No version before this one wrote rows.
-- squawk-ignore adding-field-with-default
alter table table_rows add column folded text generated always as (fold(values_text(data))) stored;

-- A table is gone for everybody as soon as this is set; its rows are erased afterwards.
alter table tables add column removed_at timestamptz(3);
