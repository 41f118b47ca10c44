-- A worker claims more deliveries than it has free slots, so that no slot waits for a commit. The deliveries that it had claimed and not
-- begun when it was killed return to the queue.

-- The worker that claimed the delivery ahead of a free slot; null when the attempt began with the claim.
alter table deliveries add column claimed_by text collate "C";

-- The deliveries that each worker has begun among those that it claimed ahead, stored before the first byte is sent. The table is unlogged,
-- so no attempt waits for the disk. A crash of the database empties it, and it is unknown what a worker without a row had begun.
create unlogged table delivery_workers (
  _id text collate "C" primary key,
  -- Raised with each statement of the worker, so that a statement that arrives late changes nothing.
  turn bigint not null default 0,
  -- The seq of each delivery that was begun and whose outcome is not stored yet.
  begun bigint[] not null default '{}',
  -- Set when the worker counted as dead and its claims were settled. From then on the worker may begin nothing.
  closed_at timestamptz(3),
  seen_at timestamptz(3) not null default now()
)
-- The row of a busy worker changes many hundred times a second. Most of each page stays free, so that the new version of a row fits on its
-- page.
with (fillfactor = 10);
grant select, insert, update, delete on delivery_workers to parley_system;
