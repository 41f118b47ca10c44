/**
 * The standing of a number at its network, and the daily limit of its business: how many people it may write to in a day. The network is
 * asked for both when an inbox connects, daily, and when it reports a change.
 */
import type { Channel } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import type { ChannelName } from '../../channels/registry.ts';
import { CALL_MS } from '../../channels/limits.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { networkCredentials } from './connection.ts';
import {
  findDayLimit,
  listAdmitted,
  releasePlaces,
  reservePlaces,
  upsertPortfolio,
  type DayLimit,
  type Place,
  type Portfolio,
} from './portfolio-queries.ts';
import { findInbox, setStanding, type Settings } from './queries.ts';
import { readSettings } from './settings.ts';

export type { Portfolio };

/** Returns the business of an inbox; null on networks without such a limit. */
export function findPortfolio(channel: Channel & { name: ChannelName }, settings: Settings): Portfolio | null {
  const portfolio = channel.settings?.portfolio?.(settings);
  return portfolio === undefined ? null : { channel: channel.name, portfolio };
}

/** Asks the network for the standing of the inbox and for the limit, and stores them. Throws when no answer came. */
export async function readStanding(kit: Kit, company: string, inbox: string): Promise<void> {
  const read = kit.database.read(company);
  const row = await findInbox(read, inbox);
  const channel = row && kit.channels.get(row.channel);
  const credentials = channel?.readStanding && (await networkCredentials(kit, read, inbox));
  const portfolio = channel && credentials ? findPortfolio(channel, credentials.settings) : null;
  if (!row || !channel?.readStanding || !credentials || !portfolio) return;
  const at = new Date().toISOString();
  const standing = await channel.readStanding(credentials.settings, AbortSignal.timeout(CALL_MS));
  await kit.database.tenantTx(company, async (tx) => {
    await upsertPortfolio(tx, portfolio, { people: standing?.people ?? null, account: row.network_account, at });
    if (!standing) return;
    const { quality: quality_rating, sending, problems } = standing;
    const stored = { quality_rating, sending, problems, checked_at: at };
    await setStanding(tx, inbox, { standing: stored, version: credentials.version });
  });
}

/** Returns the limit of the business of an inbox and how much of it is used; null on networks without such a limit. */
export async function readDayLimit(kit: Kit, read: TenantRead, inbox: string): Promise<DayLimit | null> {
  const row = await findInbox(read, inbox);
  if (!row) return null;
  const channel = kit.channels.get(row.channel);
  const settings = readSettings(row, channel);
  const portfolio = settings && findPortfolio(channel, settings);
  return portfolio && findDayLimit(read, portfolio);
}

export type Reached = Omit<Place, 'admitted'>;

/**
 * Reserves places in the daily limit of the business for these different people, in their order. Returns the reserved places; people
 * without a place are left out. Without a business there is no limit.
 */
export async function reachPeople(
  tx: TenantTx,
  portfolio: Portfolio | null,
  people: string[],
): Promise<Map<string, Reached>> {
  if (people.length === 0) return new Map();
  if (!portfolio) return new Map(people.map((person) => [person, { person, reached_at: null, reached_before: null }]));
  const places = await reservePlaces(tx, portfolio, people);
  return new Map(places.flatMap((place) => (place.admitted ? [[place.person, place] as const] : [])));
}

/** Returns those of these different people who would get a place in the daily limit now. It reserves none. */
export async function foreseePlaces(
  read: TenantRead,
  portfolio: Portfolio | null,
  people: string[],
): Promise<Set<string>> {
  if (!portfolio || people.length === 0) return new Set(people);
  return new Set(await listAdmitted(read, portfolio, people));
}

/** Frees the places of people to whom no message was sent. */
export async function returnPlaces(tx: TenantTx, portfolio: Portfolio | null, places: Reached[]): Promise<void> {
  const taken = places.filter(({ reached_at }) => reached_at !== null);
  if (portfolio && taken.length > 0) await releasePlaces(tx, portfolio, taken);
}
