/**
 * What one process has claimed and what of it is in flight, and how many slots each company may have. A company starts with two and gets
 * all of its share once its receiver has answered quickly; one that takes long falls back to two. So a crowd of dead receivers can not
 * take the slots of those that are well. What is claimed and waits for its slot counts as what is in flight.
 */

// Two: one attempt that hangs must not keep a company from showing that it is well again.
const UNPROVEN_SLOTS = 2;
// A healthy receiver answers at once; ten times as long as a slow one needs is still a tenth of the time-out.
const SLOW_MS = 1_000;
// More companies than this are proven anew, which takes each a single quick answer.
const MAX_PROVEN = 10_000;

export interface Flight {
  /** Slots of a company of which nothing is claimed. */
  first: number;
  /** Attempts in flight. */
  busy(): number;
  /** How many more may be claimed, of each company of which something is. */
  free(): Map<string, number>;
  claim(company: string): void;
  /** What was claimed is given back, and was not begun. */
  withdraw(company: string): void;
  /** Whether one more than `besides` may begin: a company that has become slow since the claim waits. */
  mayBegin(company: string, besides: number): boolean;
  /** Takes a slot for what was claimed; the answer gives it back. */
  begin(company: string): () => void;
}

interface Count {
  claimed: number;
  begun: number;
}

export function createFlight(perCompany: number): Flight {
  const first = Math.min(UNPROVEN_SLOTS, perCompany);
  const counts = new Map<string, Count>();
  const proven = new Set<string>();
  let busy = 0;

  const shareOf = (company: string): number => (proven.has(company) ? perCompany : first);

  function change(company: string, claimed: number, begun: number): void {
    busy += begun;
    const count = counts.get(company) ?? { claimed: 0, begun: 0 };
    count.claimed += claimed;
    count.begun += begun;
    if (count.claimed > 0) counts.set(company, count);
    else counts.delete(company);
  }

  function prove(company: string): void {
    if (proven.size >= MAX_PROVEN) proven.clear();
    proven.add(company);
  }

  return {
    first,
    busy: () => busy,
    free: () => new Map([...counts].map(([company, { claimed }]) => [company, shareOf(company) - claimed])),
    claim: (company) => change(company, 1, 0),
    withdraw: (company) => change(company, -1, 0),
    mayBegin: (company, besides) => (counts.get(company)?.begun ?? 0) + besides < shareOf(company),
    begin: (company) => {
      change(company, 0, 1);
      let slow = false;
      const timer = setTimeout(() => {
        slow = true;
        proven.delete(company);
      }, SLOW_MS);
      return () => {
        clearTimeout(timer);
        change(company, -1, -1);
        if (!slow) prove(company);
      };
    },
  };
}
