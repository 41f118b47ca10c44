-- The log of deliveries is also sorted and filtered by the time of the last change. An index on that time would be written with the outcome
-- of each delivery, and so would every other index. The indexed time is rounded down to ten seconds, in which most deliveries are queued,
-- sent and finished, so storing an outcome remains a HOT update.

-- This rewrites the table once, and other statements on deliveries wait meanwhile.
alter table deliveries
  -- squawk-ignore adding-field-with-default
  add column updated_step timestamptz(3) not null generated always as (
    date_bin('10 s', coalesce(finished_at, attempted_at, queued_at), '2000-01-01T00:00:00Z')
  ) stored;
