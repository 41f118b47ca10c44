-- The items of a list in small letters, for an index of contacts by tag. An index takes only functions that are marked immutable, and
-- array_agg() is; casting an array to text is not.
create function lower_items(items text[]) returns text[] language sql immutable parallel safe strict
begin atomic
  select array_agg(lower(item)) from unnest(items) item;
end;
