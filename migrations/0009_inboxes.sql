-- The connections to networks, and how many people the network lets a business write to.

create table inboxes (
  company_id text collate "C" not null references companies,
  _id text collate "C" not null,
  name text not null,
  channel text not null,
  number text not null default '',
  webhook_url text,
  default_agent text collate "C",
  default_owner text collate "C",
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'DELETED')),
  test_mode jsonb not null default '{"enabled": false, "test_numbers": []}',
  general_config jsonb not null default '{"include_operator_name_on_message": false}',
  coexistence_enabled boolean not null default false,
  -- When the network reported the value of coexistence. Its reports may arrive in any order, and the newest one counts.
  coexistence_told_at timestamptz(3),
  process_unsupported_messages boolean not null default false,
  disable_inbound_ai boolean not null default false,
  pdf_local_text_extraction boolean not null default false,
  -- The network's name for this inbox (a phone_number_id) and for its account (a waba_id).
  network_address text collate "C",
  network_account text collate "C",
  connection_status text not null default 'PENDING' check (connection_status in ('PENDING', 'CONNECTED', 'ERROR')),
  connection_checked_at timestamptz(3),
  connection_error text,
  -- Raised when the credentials change. A result of the network's check for an earlier version is ignored.
  connection_version integer not null default 0,
  -- When the network first accepted the credentials for this address. Nothing is received before.
  accepted_at timestamptz(3),
  -- True while the network may have a callback address of this inbox. When webhook_url is cleared, the network has to forget it.
  callback_told boolean not null default false,
  -- The settings of the channel, by the property that holds them, so that a new channel needs no new column. The properties that the channel
  -- declares as secrets are encrypted inside.
  settings jsonb not null default '{}',
  -- Where an inbox begins to be fetched: the end of its mailbox at the moment at which the network accepted its credentials.
  fetch_from jsonb,
  -- How the network rates the number, and whether it lets it send: {quality_rating, sending, problems, checked_at}.
  standing jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (company_id, _id),
  constraint inboxes_default_agent_ref foreign key (company_id, default_agent) references agents,
  constraint inboxes_default_owner_ref foreign key (company_id, default_owner) references users on delete set null (default_owner)
);
create index inboxes_network_account on inboxes (channel, network_account) where status = 'ACTIVE';
create index inboxes_list on inboxes (company_id, created_at desc, _id desc);
create index inboxes_owner on inboxes (company_id, default_owner) where default_owner is not null;
-- A network number belongs to the one ACTIVE inbox whose credentials the network has accepted; this index makes sure of it.
create unique index inboxes_owned_address_key on inboxes (channel, network_address)
  where status = 'ACTIVE' and accepted_at is not null;
-- Any number of other inboxes may have the same number. They are found when the network accepts the credentials of one of them.
create index inboxes_address on inboxes (channel, network_address) where status = 'ACTIVE';
create index inboxes_updated on inboxes (company_id, updated_at desc, _id desc);
-- A network calls an inbox by the inbox's id alone, without its company.
create index inboxes_id on inboxes (_id);
call tenant_table('inboxes');

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
revoke execute on function reserve_people, release_people from public;
grant execute on function reserve_people, release_people to parley_app;
