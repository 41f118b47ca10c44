/** Statements about how many people a business may write to in a day, and whom it has reached. */
import type { ChannelName } from '../../channels/registry.ts';
import { exec, many, one } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';

/** The business of a network whose numbers share a limit. */
export interface Portfolio {
  channel: ChannelName;
  portfolio: string;
}

/**
 * Stores the limit that the network reports, unless a newer report is stored; null keeps the stored limit. The account belongs to the
 * business.
 */
export function upsertPortfolio(
  tx: TenantTx,
  { channel, portfolio }: Portfolio,
  told: { people: number | null; account: string | null; at: string },
): Promise<number> {
  return exec(tx, {
    name: 'inboxes.upsertPortfolio',
    text: `insert into portfolios as p (company_id, channel, portfolio, people_limit, accounts, told_at)
      values ($1, $2, $3, $4, array_remove(array[$5::text], null), $6)
      on conflict (company_id, channel, portfolio) do update set
        people_limit = case when p.told_at > $6 then p.people_limit else coalesce($4, p.people_limit) end,
        told_at = greatest(p.told_at, $6),
        accounts = case when $5 is null or $5 = any(p.accounts) then p.accounts else p.accounts || $5 end`,
    values: [tx.companyId, channel, portfolio, told.people, told.account, told.at],
  });
}

/** How many people a business may write to in a day, as the network says (-1: no limit, null: it has not said it), and has written to. */
export interface DayLimit {
  people_limit: number | null;
  people: number;
}

export function findDayLimit(tx: TenantRead, { channel, portfolio }: Portfolio): Promise<DayLimit> {
  return one(tx, {
    name: 'inboxes.findDayLimit',
    // By the rules of reserve_people().
    text: `select max(p.people_limit) as people_limit,
        (select coalesce(sum(m.people), 0)::int from portfolio_minutes m where m.company_id = $1 and m.channel = $2 and m.portfolio = $3
          and m.minute >= date_trunc('minute', clock_timestamp() - interval '24 hours')) as people
      from portfolios p where p.company_id = $1 and p.channel = $2 and p.portfolio = $3`,
    values: [tx.companyId, channel, portfolio],
  });
}

/** A place in the daily limit of the business. `reached_at` is null when no place was left. */
export interface Place {
  person: string;
  admitted: boolean;
  reached_at: string | null;
  /** When a message had reached the person before, within the last day. */
  reached_before: string | null;
}

/** Reserves a place for each of these different people, in their order, as long as there are places. */
export function reservePlaces(tx: TenantTx, { channel, portfolio }: Portfolio, people: string[]): Promise<Place[]> {
  return many(tx, {
    name: 'inboxes.reservePlaces',
    text: `select person, admitted, reached_at, reached_before from reserve_people($1, $2, $3, $4) where company_id = $1`,
    values: [tx.companyId, channel, portfolio, people],
  });
}

/** Returns those of these different people who would get a place now, in their order. It reserves none. */
export async function listAdmitted(
  tx: TenantRead,
  { channel, portfolio }: Portfolio,
  people: string[],
): Promise<string[]> {
  const rows = await many<{ person: string }>(tx, {
    name: 'inboxes.listAdmitted',
    // By the rules of reserve_people().
    text: `with day as (select date_trunc('minute', clock_timestamp() - interval '24 hours') as since),
      used as (
        select coalesce(sum(m.people), 0) as people from portfolio_minutes m, day
        where m.company_id = $1 and m.channel = $2 and m.portfolio = $3 and m.minute >= day.since
      ),
      asked as (
        select a.person, a.position, k.person is not null as is_reached
        from unnest($4::text[]) with ordinality as a (person, position) cross join day
          left join portfolio_people k on k.company_id = $1 and k.channel = $2 and k.portfolio = $3 and k.person = a.person
            and k.reached_at >= day.since
      ),
      placed as (select *, row_number() over (partition by is_reached order by position) as place from asked)
      select placed.person from placed cross join used
        left join portfolios p on p.company_id = $1 and p.channel = $2 and p.portfolio = $3
      where placed.is_reached or p.people_limit is null or p.people_limit < 0 or placed.place <= p.people_limit - used.people`,
    values: [tx.companyId, channel, portfolio, people],
  });
  return rows.map(({ person }) => person);
}

/** Frees the places of people to whom no message was sent. */
export function releasePlaces(
  tx: TenantTx,
  { channel, portfolio }: Portfolio,
  places: Omit<Place, 'admitted'>[],
): Promise<unknown> {
  return one(tx, {
    name: 'inboxes.releasePlaces',
    text: 'select released from release_people($1, $2, $3, $4, $5, $6) where company_id = $1',
    values: [
      tx.companyId,
      channel,
      portfolio,
      places.map(({ person }) => person),
      places.map(({ reached_at }) => reached_at),
      places.map(({ reached_before }) => reached_before),
    ],
  });
}
