-- The order of the log of deliveries by the last change.
create index concurrently if not exists deliveries_updated on deliveries (company_id, updated_step desc);
