-- A worker claims deliveries ahead of its slots, so that a slot waits for no commit. What it had claimed and not begun when it was
-- killed goes back into the queue.

-- Who claimed it ahead; null where the attempt began with the claim.
alter table deliveries add column claimed_by text collate "C";

-- What each worker has begun of what it claimed ahead, said before the first byte leaves. Unlogged: no attempt waits for the disk. A crash
-- of the database empties the table, and of a worker without a row here nobody knows what it had begun.
create unlogged table delivery_workers (
  _id text collate "C" primary key,
  -- Raised with each word of the worker: one that was late on its way changes nothing.
  turn bigint not null default 0,
  -- The seq of each delivery that was begun and whose outcome is not written yet.
  begun bigint[] not null default '{}',
  -- Set when its claims were judged: from then on it begins nothing any more.
  closed_at timestamptz(3),
  seen_at timestamptz(3) not null default now()
)
-- A busy row changes many hundred times a second: its new version stays on the page, which cleans itself.
with (fillfactor = 10);
grant select, insert, update, delete on delivery_workers to parley_system;
