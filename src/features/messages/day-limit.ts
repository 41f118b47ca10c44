/** Counts templates toward the daily limit of a business: the number of people it may write to in a day. */
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { networkCredentials } from '../inboxes/connection.ts';
import { findPortfolio, reachPeople, type Portfolio, type Reached } from '../inboxes/portfolio.ts';
import { OVER_DAILY_LIMIT } from './blocks.ts';
import type { SendTarget } from './queries.ts';
import type { Cause } from './schemas.ts';

/** A place in the daily limit that is reserved for a message. */
export interface DayPlace {
  portfolio: Portfolio;
  reached: Reached;
}

interface Taken {
  place: DayPlace | null;
  /** Why the message is not sent: the daily limit of the business is reached. */
  blocked: Cause | null;
}

const NO_PLACE: Taken = { place: null, blocked: null };

/** Reserves a place in the daily limit for a template. People who have written in the last 24 hours need none. */
export async function takePlace(
  kit: Kit,
  tx: TenantTx,
  { inbox, to, window_open }: SendTarget,
  channel: NamedChannel,
): Promise<Taken> {
  if (window_open || !to) return NO_PLACE;
  const credentials = await networkCredentials(kit, tx, inbox);
  const portfolio = credentials && findPortfolio(channel, credentials.settings);
  if (!portfolio) return NO_PLACE;
  const reached = (await reachPeople(tx, portfolio, [to.value])).get(to.value);
  return reached ? { place: { portfolio, reached }, blocked: null } : { place: null, blocked: OVER_DAILY_LIMIT };
}
