-- Rate limits: a token bucket for each subject ('company:<id>', 'address:<ip>', …). Only the database grants tokens, by its own clock, so
-- a limit is exact over any number of processes.

-- There is no company, because an address or an account is counted before its company is known. The table is unlogged, so no request waits
-- for the disk; a crash only fills the buckets.
create unlogged table rate_buckets (
  subject text collate "C" primary key,
  tokens double precision not null,
  refilled_at timestamptz not null
)
-- A busy bucket changes many times a second. Half of each page stays free, so that the new version of a row fits on its page.
with (fillfactor = 50);
grant select, insert, update, delete on rate_buckets to parley_system;

-- Refills each bucket and takes tokens from it. Returns a row for each subject: the granted tokens, and the tokens that are left. From the
-- upper half of a bucket a process gets up to `maximums`, which includes tokens for future callers; from the lower half it gets only
-- `minimums`, for the callers that wait. `returns` are tokens that the process did not need.
create function take_tokens(
  subjects text[], rates double precision[], bursts double precision[], minimums integer[], maximums integer[], returns integer[]
) returns table (subject text, granted integer, remaining double precision)
language plpgsql as $$
declare
  wish record;
  bucket record;
  -- The time is read after the lock, because the lock may have been waited for.
  moment timestamptz;
begin
  -- The buckets are locked in one order, so that two processes never wait for each other.
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
    -- When the clock was set back, the bucket is not refilled this time.
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
