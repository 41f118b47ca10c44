-- What the platform itself keeps: repeated requests, rate limits, the pace of sends, and the jobs that were begun.

-- Small facts about the installation itself, such as how far the sweep of interrupted deliveries has come.
create table platform_state (
  key text primary key,
  value text not null
);
grant select, insert, update on platform_state to parley_system;

-- Requests with an Idempotency-Key: which attempt runs the request now, and which record the request created. The company is null for
-- operations on companies and global keys.
create table idempotency_keys (
  company_id text collate "C" references companies,
  principal_id text collate "C" not null,
  key text collate "C" not null,
  fingerprint bytea not null,
  attempt text collate "C" not null,
  -- Null once the request has ended.
  running_until timestamptz(3),
  -- Set in the transaction that stores the record.
  resource_id text collate "C",
  status_code integer,
  created_at timestamptz(3) not null default now()
);
create unique index idempotency_keys_key on idempotency_keys (company_id, principal_id, key) nulls not distinct;
create index idempotency_keys_age on idempotency_keys (created_at);
call tenant_table('idempotency_keys');

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

-- The jobs that were begun and have not ended. When a process dies during a job, the row stays and counts how often this has happened.
create table job_attempts (
  job uuid primary key,
  begun bigint not null default 1,
  begun_at timestamptz(3) not null default now()
);
grant select, insert, update, delete on job_attempts to parley_system;

-- When the next message of a number may leave: one row for all processes. `lane` is a number, or an account whose numbers the network
-- slows down together. Unlogged: no send waits for the disk, and a crash only forgets the slots of the last second.
create unlogged table send_paces (
  company_id text collate "C" not null references companies,
  lane text collate "C" not null,
  next_at timestamptz not null default now(),
  -- Nothing leaves before this time, because the network refused messages as too many; `strikes` counts how often in a row.
  held_until timestamptz not null default now(),
  strikes integer not null default 0,
  primary key (company_id, lane)
)
-- A busy row changes several times a second: its new version stays on the page, which cleans itself.
with (fillfactor = 50);
call tenant_table('send_paces');

-- When a number may send to the same person again.
create unlogged table send_pairs (
  company_id text collate "C" not null references companies,
  lane text collate "C" not null,
  person text collate "C" not null,
  next_at timestamptz not null,
  strikes integer not null default 0,
  primary key (company_id, lane, person)
);
call tenant_table('send_pairs');

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

-- Reserves up to `most` slots of a number, none later than a second from now, and says in how many seconds the first one begins.
create function reserve_slots(company text, number_lane text, account_lane text, rate double precision, most integer)
returns table (granted integer, first_in double precision)
language plpgsql as $$
declare
  pace record;
  moment timestamptz;
  first_at timestamptz;
begin
  insert into send_paces (company_id, lane) values (company, number_lane) on conflict do nothing;
  select p.next_at, p.held_until into pace from send_paces p where p.company_id = company and p.lane = number_lane for update;
  -- After the lock, which may have been waited for.
  moment := clock_timestamp();
  select greatest(moment, pace.next_at, pace.held_until, max(a.held_until)) into first_at
    from send_paces a where a.company_id = company and a.lane = account_lane;
  first_in := extract(epoch from first_at - moment)::double precision;
  granted := greatest(0, least(most, ceil(rate * (1 - first_in))))::integer;
  if granted > 0 then
    update send_paces p set next_at = first_at + make_interval(secs => granted / rate)
      where p.company_id = company and p.lane = number_lane;
  end if;
  return next;
end
$$;
revoke execute on function reserve_slots from public;
grant execute on function reserve_slots to parley_app;
