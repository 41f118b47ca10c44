-- The replays of a delivery. They are few, so the index is small.
create index concurrently if not exists deliveries_replays on deliveries (company_id, replay_of) where replay_of is not null;
