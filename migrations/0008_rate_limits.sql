-- Rate limits: a bucket of tokens per subject ('company:<id>', 'address:<ip>', …). Only the database grants tokens, by its own
-- clock, so a limit is exact over any number of processes.

-- No company: an address or an account is counted before anybody knows whose it is. Unlogged: no request waits for the disk,
-- and a crash only fills the buckets.
create unlogged table rate_buckets (
  subject text collate "C" primary key,
  tokens double precision not null,
  refilled_at timestamptz not null
)
-- A busy bucket changes many times a second: its new version stays on the page, which cleans itself.
with (fillfactor = 50);
grant select, insert, update, delete on rate_buckets to parley_system;

-- Refills each bucket and takes from it; one row per subject: what was granted, and what is left. Of the upper half of a bucket
-- a process gets up to `maximums`, which includes a stock for callers to come; of the lower half only `minimums`, for
-- callers who wait. `returns` is stock that nobody needed.
create function take_tokens(
  subjects text[], rates double precision[], bursts double precision[], minimums integer[], maximums integer[], returns integer[]
) returns table (subject text, granted integer, remaining double precision)
language plpgsql as $$
declare
  wish record;
  bucket record;
  -- After the lock, which may have been waited for.
  moment timestamptz;
begin
  -- In one order, so that two processes never wait for each other.
  for wish in
    select w.* from unnest(subjects, rates, bursts, minimums, maximums, returns)
      as w (name, rate, burst, minimum, maximum, returned) order by w.name collate "C"
  loop
    loop
      select b.tokens, b.refilled_at into bucket from rate_buckets b where b.subject = wish.name for update;
      exit when found;
      insert into rate_buckets (subject, tokens, refilled_at) values (wish.name, wish.burst, clock_timestamp())
        on conflict do nothing;
    end loop;
    moment := clock_timestamp();
    -- A clock that was set back refills nothing this once, and goes on from where it is.
    remaining := least(
      wish.burst,
      bucket.tokens + wish.returned
        + wish.rate * greatest(0, extract(epoch from moment - bucket.refilled_at)::double precision)
    );
    granted := greatest(least(wish.minimum, floor(remaining)), least(wish.maximum, floor(remaining - wish.burst / 2)));
    remaining := remaining - granted;
    update rate_buckets b set tokens = remaining, refilled_at = moment where b.subject = wish.name;
    subject := wish.name;
    return next;
  end loop;
end
$$;
revoke execute on function take_tokens from public;
grant execute on function take_tokens to parley_system;
