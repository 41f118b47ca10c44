-- Counts anew what each company stores, in every table that counts towards its quota: those with the column `record_bytes`. The tables are
-- looked up, so that a new one needs no new version of this function.
create or replace function recount_stored() returns integer language plpgsql as $$
declare
  kept text;
  corrected integer;
begin
  select string_agg(format('select company_id, record_bytes from %I', c.relname), ' union all ') into kept
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'record_bytes' and not a.attisdropped;
  execute format(
    'with kept as (%s
      union all select company_id, -bytes from company_usage union all select company_id, -bytes from stored_changes)
    insert into stored_changes (company_id, bytes, is_bounded)
      select company_id, sum(record_bytes), false from kept group by company_id having sum(record_bytes) <> 0', kept);
  get diagnostics corrected = row_count;
  return corrected;
end
$$;
