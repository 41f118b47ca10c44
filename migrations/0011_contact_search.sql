-- The search finds contacts by parts of their names, e-mail addresses and numbers, and by their custom fields, even among a million.

-- Both extensions ship with PostgreSQL and are trusted, so everybody who may create objects in this database may create them. pg_trgm
-- indexes parts of texts, btree_gin puts the company into the same index.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Returns the form of a text that the search compares: lower case, without accents. The text is lowered twice: before, so that texts that
-- differ only in case become equal, and afterwards, because normalising a ligature or a circled letter may produce a capital. Texts of
-- ASCII letters, which are nearly all, need only the first lowering.
create function fold(value text) returns text
language sql immutable parallel safe
return case when octet_length(value) = char_length(value) then lower(value) else
  lower(regexp_replace(normalize(lower(value), NFKD),
    '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]', '', 'g'))
end;

-- Returns a LIKE pattern that matches exactly these characters.
create function like_literal(value text) returns text
language sql immutable parallel safe
return regexp_replace(value, '([\\%_])', '\\\1', 'g');

-- This rewrites the table once, and other statements on contacts wait meanwhile: with a million contacts, a quarter of a minute.
alter table contacts
  -- squawk-ignore adding-field-with-default
  add column folded_name text generated always as (fold(name)) stored,
  -- squawk-ignore adding-field-with-default
  add column folded_email text generated always as (fold(email)) stored;

-- Returns further properties by which contacts are filtered: the names of the fields that have a value, of the fields that have none, and
-- whether the name or the e-mail has letters beyond ASCII, which few have once they are folded. They are an array, because the planner has
-- statistics about the items of an array.
create function contact_marks(name text, email text, phone_number text, professional_network_identifier text, folded text)
returns text[]
language sql immutable parallel safe
return array[
  case when coalesce(name, '') > '' then '+name' else '-name' end,
  case when coalesce(email, '') > '' then '+email' else '-email' end,
  case when coalesce(phone_number, '') > '' then '+phone_number' else '-phone_number' end,
  case when coalesce(professional_network_identifier, '') > '' then '+professional_network_identifier'
    else '-professional_network_identifier' end,
  case when octet_length(folded) > char_length(folded) then '+letters' else '-letters' end
];
