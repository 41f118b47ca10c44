-- What is still to be sorted in is read through by each look-up, so it is kept to half a megabyte.
create index concurrently if not exists table_rows_search on table_rows using gin (company_id, table_id, folded gin_trgm_ops, pair_mark(folded))
with (gin_pending_list_limit = 512);
