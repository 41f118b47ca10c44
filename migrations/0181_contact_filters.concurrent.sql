-- What filters of contacts look up beside contacts_search. Only contacts that have tags or an external id stand in these indexes.
create index concurrently if not exists contacts_tags on contacts using gin (company_id, lower_items(tags)) with (gin_pending_list_limit = 512)
where tags <> '{}';
create index concurrently if not exists contacts_external_id on contacts (company_id, lower(external_id)) where external_id is not null;
