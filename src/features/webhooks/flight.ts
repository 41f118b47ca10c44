/**
 * What one process has in flight, and how many slots each company may have. A company starts with two and gets all of its
 * share once its receiver has answered quickly; one that takes long falls back to two. So a crowd of dead receivers can not
 * take the slots of those that are well.
 */

// Two: one attempt that hangs must not keep a company from showing that it is well again.
const UNPROVEN_SLOTS = 2;
// A healthy receiver answers at once; ten times as long as a slow one needs is still a tenth of the time-out.
const SLOW_MS = 1_000;
// More companies than this are proven anew, which takes each a single quick answer.
const MAX_PROVEN = 10_000;

export interface Flight {
  /** Slots of a company that has nothing in flight. */
  first: number;
  busy(): number;
  /** Free slots of each company that has something in flight. */
  free(): Map<string, number>;
  /** Takes a slot; the answer gives it back. */
  begin(company: string): () => void;
}

export function createFlight(perCompany: number): Flight {
  const first = Math.min(UNPROVEN_SLOTS, perCompany);
  const inFlight = new Map<string, number>();
  const proven = new Set<string>();
  let busy = 0;

  function change(company: string, by: 1 | -1): void {
    busy += by;
    const count = (inFlight.get(company) ?? 0) + by;
    if (count > 0) inFlight.set(company, count);
    else inFlight.delete(company);
  }

  function prove(company: string): void {
    if (proven.size >= MAX_PROVEN) proven.clear();
    proven.add(company);
  }

  return {
    first,
    busy: () => busy,
    free: () =>
      new Map([...inFlight].map(([company, count]) => [company, (proven.has(company) ? perCompany : first) - count])),
    begin: (company) => {
      change(company, 1);
      let slow = false;
      const timer = setTimeout(() => {
        slow = true;
        proven.delete(company);
      }, SLOW_MS);
      return () => {
        clearTimeout(timer);
        change(company, -1);
        if (!slow) prove(company);
      };
    },
  };
}
