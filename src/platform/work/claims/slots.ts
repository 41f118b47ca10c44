/**
 * Counts the work of one process that is in progress, and decides how many slots each company may have. A company starts with two slots,
 * gets its whole share once its work has ended quickly, and falls back to two when it takes long, so that a crowd of companies whose work
 * hangs cannot take the slots of the others.
 */
import { declareLimit } from '../../values/limits.ts';

// Two slots, so that other work of the company can still show that it is quick again while one piece of work hangs.
const UNPROVEN_SLOTS = declareLimit(2, {
  topic: 'Webhooks',
  what: 'Deliveries in flight to a receiver that is slow or new, per worker',
  beyond: 'the next one waits',
});
// Work that takes longer counts as slow, unless the queue says otherwise. The time is a tenth of the longest wait for a network, and ten
// times what a healthy distant network needs.
const SLOW_MS = 1_000;
// The most companies that are remembered as quick. A full list is cleared, and a company is listed again after its next quick work.
const MAX_PROVEN = 10_000;

export interface CompanySlots {
  /** Slots for a company of which no work is in progress. */
  first: number;
  /** The number of rows whose work is in progress. */
  busy(): number;
  /** How many more rows may be claimed of each company whose work is in progress. */
  free(): Map<string, number>;
  /** Takes a slot. */
  begin(company: string): Slot;
}

export interface Slot {
  /** Ends the time by which the work counts as quick or slow. Storing its outcome may take longer. */
  endWork(): void;
  /** Frees the slot, and ends the work if it has not ended. */
  free(): void;
}

export function createCompanySlots(perCompany: number, slowMs = SLOW_MS): CompanySlots {
  const first = Math.min(UNPROVEN_SLOTS, perCompany);
  const counts = new Map<string, number>();
  const proven = new Set<string>();
  let busy = 0;

  const slotShare = (company: string): number => (proven.has(company) ? perCompany : first);

  function change(company: string, by: number): void {
    busy += by;
    const count = (counts.get(company) ?? 0) + by;
    if (count > 0) counts.set(company, count);
    else counts.delete(company);
  }

  function prove(company: string): void {
    if (proven.size >= MAX_PROVEN) proven.clear();
    proven.add(company);
  }

  return {
    first,
    busy: () => busy,
    free: () => new Map([...counts].map(([company, count]) => [company, slotShare(company) - count])),
    begin: (company) => {
      change(company, 1);
      let slow = false;
      const timer = setTimeout(() => {
        slow = true;
        proven.delete(company);
      }, slowMs);
      return {
        endWork: () => clearTimeout(timer),
        free: () => {
          clearTimeout(timer);
          change(company, -1);
          if (!slow) prove(company);
        },
      };
    },
  };
}
