-- Finds the few imports of a company that have not ended, however many have ended.
create index concurrently if not exists imports_open on imports (company_id) where finished_at is null;
