-- Whether a user sees an inbox, with all that belongs to it.
create or replace function sees_inbox(i inboxes, member users) returns boolean language sql stable as $$
  select i.members is null or member.role in ('OWNER', 'ADMIN') or i.members -> 'users' ? member._id
    or exists (select from team_members m where m.company_id = i.company_id and m.user_id = member._id and i.members -> 'teams' ? m.team_id)
$$;

-- The id of a user to whom new conversations of an inbox are assigned; null if the user is removed or INACTIVE, or no longer sees the inbox.
create or replace function seeing(i inboxes, member text) returns text language sql stable as $$
  select u._id from users u where u.company_id = i.company_id and u._id = member and u.removed_at is null and u.status = 'ACTIVE' and sees_inbox(i, u)
$$;

-- The owner of new conversations of an inbox. If the inbox has no members, it reads nothing else, because a background job removes such users.
create or replace function seeing_owner(i inboxes) returns text language sql stable as $$
  select case when i.members is null then i.default_owner else seeing(i, i.default_owner) end
$$;

-- The inboxes that a user sees; null for all.
create or replace function visible_inboxes(member users) returns text[] language sql stable as $$
  select case when member.role not in ('OWNER', 'ADMIN')
      and exists (select from inboxes where company_id = member.company_id and members is not null)
    then array(select i._id from inboxes i where i.company_id = member.company_id and sees_inbox(i, member)) end
$$;

-- Whether a user sees a conversation. If no inbox of the company has members, it reads nothing else.
create or replace function sees_conversation(company text, conversation text, member text) returns boolean language sql stable as $$
  select not exists (select from inboxes where company_id = company and members is not null)
    or exists (select from conversations v join inboxes i on i.company_id = v.company_id and i._id = v.inbox_id
        join users u on u.company_id = v.company_id and u._id = member
      where v.company_id = company and v._id = conversation and sees_inbox(i, u))
$$;

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
