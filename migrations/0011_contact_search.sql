-- Contacts are found by parts of their names, addresses and numbers, and by their custom fields, among a million.

-- Both ship with PostgreSQL and are trusted: who may create in this database may create them. pg_trgm indexes parts of texts,
-- btree_gin puts the company into the same index.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- What search compares: small letters without accents. Lowered first and last: what is equal but for case stays equal, and
-- compatibility forms (the ligature, the circled letter) may only then show a capital. Nearly all texts take the short way.
create function fold(value text) returns text
language sql immutable parallel safe
return case when octet_length(value) = char_length(value) then lower(value) else
  lower(regexp_replace(normalize(lower(value), NFKD),
    '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]', '', 'g'))
end;

-- A pattern of LIKE that means nothing but these letters.
create function like_literal(value text) returns text
language sql immutable parallel safe
return regexp_replace(value, '([\\%_])', '\\\1', 'g');

-- Rewrites the table once, and whoever uses contacts waits for it: a million take a quarter of a minute.
alter table contacts
  -- squawk-ignore adding-field-with-default
  add column folded_name text generated always as (fold(name)) stored,
  -- squawk-ignore adding-field-with-default
  add column folded_email text generated always as (fold(email)) stored;

-- What else a contact is looked up by: each field that is filled, each that is not, and whether its name or e-mail has letters
-- beyond ASCII, which few have once they are folded. As an array it has statistics of its own.
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
