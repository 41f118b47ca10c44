-- Each look-up reads through the pending list of this index, so the list is limited to half a megabyte.
create index concurrently if not exists table_rows_search on table_rows using gin (company_id, table_id, folded gin_trgm_ops, pair_mark(folded))
with (gin_pending_list_limit = 512);
