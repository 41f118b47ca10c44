alter table views validate constraint views_kind_check;
-- A segment and a view may have the same name. The index gets the name of the earlier one below, because programs know it by this name.
create unique index concurrently if not exists views_kind_name
  on views (company_id, kind, (case when is_shared then '' else owner_id end), lower(name));
drop index concurrently if exists views_name_key;
