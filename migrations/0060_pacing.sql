-- How fast a number of a network may send, and how many people a business may reach in a day.

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

-- The people that a business may write to in a moving day outside of their conversations' windows, as its network says. All numbers of
-- the business share it.
create table portfolios (
  company_id text collate "C" not null references companies,
  channel text not null,
  portfolio text collate "C" not null,
  -- Null as long as the network has not said it, -1 for as many as one likes.
  people_limit integer,
  -- The accounts whose notifications are about this business.
  accounts text[] not null default '{}',
  told_at timestamptz(3),
  primary key (company_id, channel, portfolio)
);
create index portfolios_notified on portfolios using gin (accounts);
call tenant_table('portfolios');

-- Who was last reached when, and how many of them in each minute: the sum of at most 1,441 rows replaces counting 100,000 people.
create table portfolio_people (
  company_id text collate "C" not null references companies,
  channel text not null,
  portfolio text collate "C" not null,
  person text collate "C" not null,
  reached_at timestamptz(3) not null,
  primary key (company_id, channel, portfolio, person)
);
call tenant_table('portfolio_people');
create table portfolio_minutes (
  company_id text collate "C" not null references companies,
  channel text not null,
  portfolio text collate "C" not null,
  minute timestamptz(3) not null,
  people integer not null,
  primary key (company_id, channel, portfolio, minute)
);
call tenant_table('portfolio_minutes');

-- Reserves a place in the day for each of these different people, in their order, as long as there are places. Who was reached within
-- the day takes no new one. A minute counts until a day after its end, so the sum is never too small.
create function reserve_people(company text, network text, business text, people text[])
returns table (company_id text, person text, admitted boolean, reached_at timestamptz(3), reached_before timestamptz(3))
language plpgsql as $$
#variable_conflict use_column
declare
  allowed integer;
  reached integer;
  moment timestamptz(3);
  since timestamptz(3);
begin
  insert into portfolios (company_id, channel, portfolio) values (company, network, business) on conflict do nothing;
  select p.people_limit into allowed from portfolios p
    where p.company_id = company and p.channel = network and p.portfolio = business for update;
  moment := clock_timestamp();
  since := date_trunc('minute', moment - interval '24 hours');
  select coalesce(sum(m.people), 0) into reached from portfolio_minutes m
    where m.company_id = company and m.channel = network and m.portfolio = business and m.minute >= since;
  return query
    with asked as (
      select a.person, a.position, case when k.reached_at >= since then k.reached_at end as before
      from unnest(people) with ordinality as a (person, position)
        left join portfolio_people k
          on k.company_id = company and k.channel = network and k.portfolio = business and k.person = a.person
    ), chosen as (
      select *, before is not null or allowed is null or allowed < 0
        or row_number() over (partition by before is null order by position) <= allowed - reached as admitted
      from asked
    ), remembered as (
      insert into portfolio_people as k (company_id, channel, portfolio, person, reached_at)
        select company, network, business, c.person, moment from chosen c where c.admitted order by c.person
        on conflict (company_id, channel, portfolio, person) do update set reached_at = excluded.reached_at
    ), counted as (
      insert into portfolio_minutes as m (company_id, channel, portfolio, minute, people)
        select company, network, business, d.minute, sum(d.people) from (
          select date_trunc('minute', before) as minute, -1 as people from chosen where admitted and before is not null
          union all select date_trunc('minute', moment), 1 from chosen where admitted
        ) d group by d.minute having sum(d.people) <> 0
        on conflict (company_id, channel, portfolio, minute) do update set people = m.people + excluded.people
    )
    select company, c.person, c.admitted, case when c.admitted then moment end, c.before from chosen c order by c.position;
end
$$;

-- Gives back the places of people whom no message reached, unless somebody has reached them since.
create function release_people(
  company text, network text, business text, people text[], times timestamptz[], befores timestamptz[]
) returns table (company_id text, released integer) language plpgsql as $$
#variable_conflict use_column
begin
  perform 1 from portfolios p where p.company_id = company and p.channel = network and p.portfolio = business for update;
  with asked as (
    select a.person, a.reached_at, a.before
    from unnest(people, times, befores) as a (person, reached_at, before)
      join portfolio_people k on k.company_id = company and k.channel = network and k.portfolio = business
        and k.person = a.person and k.reached_at = a.reached_at
  ), restored as (
    update portfolio_people k set reached_at = a.before from asked a
      where k.company_id = company and k.channel = network and k.portfolio = business and k.person = a.person and a.before is not null
  ), forgotten as (
    delete from portfolio_people k using asked a
      where k.company_id = company and k.channel = network and k.portfolio = business and k.person = a.person and a.before is null
  )
  insert into portfolio_minutes as m (company_id, channel, portfolio, minute, people)
    select company, network, business, d.minute, sum(d.people) from (
      select date_trunc('minute', a.reached_at) as minute, -1 as people from asked a
      union all select date_trunc('minute', a.before), 1 from asked a where a.before is not null
    ) d group by d.minute having sum(d.people) <> 0
    on conflict (company_id, channel, portfolio, minute) do update set people = m.people + excluded.people;
  return query select company, cardinality(people);
end
$$;
revoke execute on function reserve_slots, reserve_people, release_people from public;
grant execute on function reserve_slots, reserve_people, release_people to parley_app;
