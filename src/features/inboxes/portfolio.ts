/**
 * The daily limit of a business: how many people it may write to in a day. The network is asked for it when an inbox connects, and daily.
 */
import type { Channel } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import type { ChannelName } from '../../channels/registry.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';
import { networkCredentials } from './connection.ts';
import {
  listAdmitted,
  releasePlaces,
  reservePlaces,
  upsertPortfolio,
  type Place,
  type Portfolio,
} from './portfolio-queries.ts';
import { findInbox, type Settings } from './queries.ts';

export type { Portfolio };

// The time limit of a call to the network, the same as that of a send.
const CALL_MS = 10_000;

/** Returns the business of an inbox; null on networks without such a limit. */
export function findPortfolio(channel: Channel & { name: ChannelName }, settings: Settings): Portfolio | null {
  const portfolio = channel.settings?.portfolio?.(settings);
  return portfolio === undefined ? null : { channel: channel.name, portfolio };
}

/** Asks the network for the limit and stores it. Throws when no answer came. */
export async function readPortfolio(kit: Kit, company: string, inbox: string): Promise<void> {
  const read = kit.database.read(company);
  const row = await findInbox(read, inbox);
  const channel = row && kit.channels.get(row.channel);
  const credentials = channel?.readPeopleLimit && (await networkCredentials(kit, read, inbox));
  const portfolio = channel && credentials ? findPortfolio(channel, credentials.settings) : null;
  if (!row || !channel?.readPeopleLimit || !credentials || !portfolio) return;
  const at = new Date().toISOString();
  const people = await channel.readPeopleLimit(credentials.settings, AbortSignal.timeout(CALL_MS));
  await kit.database.tenantTx(company, (tx) =>
    upsertPortfolio(tx, portfolio, { people, account: row.network_account, at }),
  );
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
