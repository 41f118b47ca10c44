-- Reserves a place in the day for each of these different people, in their order, as long as there are places. Who was reached within
-- the day takes no new one. A minute counts until a day after its end, so the sum is never too small.
create or replace function reserve_people(company text, network text, business text, people text[])
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
revoke execute on function reserve_people from public;
grant execute on function reserve_people to parley_app;

-- Returns the places of people whom no message has reached, unless a later message has.
create or replace function release_people(
  company text, network text, business text, people text[], times timestamp with time zone[], befores timestamp with time zone[]
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
revoke execute on function release_people from public;
grant execute on function release_people to parley_app;

create or replace trigger noted_insert after insert on inboxes referencing new table as written
  for each statement execute function note_changes('inboxes');
create or replace trigger noted_update after update on inboxes referencing new table as written
  for each statement execute function note_changes('inboxes');
