/** Gives back places in the daily limit of a business whose messages failed after the network had accepted them. */
import type { TenantTx } from '../../platform/store/tenant.ts';
import { returnPlaces, type Portfolio } from '../inboxes/portfolio.ts';
import { insertPlaces, takeDuePlaces, type MessagePlace } from './place-queries.ts';

// The places that one transaction gives back, for it locks the business against sends.
const PORTION = 500;

/** Keeps the places that messages have taken, so that they can be given back when the messages fail later. */
export async function keepPlaces(tx: TenantTx, portfolio: Portfolio | null, places: MessagePlace[]): Promise<void> {
  const taken = places.filter(({ reached_at }) => reached_at !== null);
  if (portfolio && taken.length > 0) await insertPlaces(tx, portfolio, taken);
}

/** Gives back a portion of the company's places, each in the transaction that forgets it. Returns how many. */
export async function returnLatePlaces(tx: TenantTx): Promise<number> {
  const due = await takeDuePlaces(tx, PORTION);
  const groups = Map.groupBy(due, ({ channel, portfolio }) => `${channel} ${portfolio}`);
  // The order keeps two workers from waiting for each other.
  for (const key of [...groups.keys()].toSorted()) {
    const [first, ...others] = groups.get(key) ?? [];
    if (first) await returnPlaces(tx, { channel: first.channel, portfolio: first.portfolio }, [first, ...others]);
  }
  return due.length;
}
