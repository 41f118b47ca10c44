/**
 * Counts what one process has claimed and what of it is in progress, and decides how many slots each company may have. A company starts
 * with two slots, gets its whole share once its work has ended quickly, and falls back to two when it takes long, so that a crowd of
 * companies whose work hangs can not take the slots of the others. A row that is claimed and waits for a slot counts like one in progress.
 */

// Two slots, so that other work of the company can still show that it is quick again while one piece of work hangs.
const UNPROVEN_SLOTS = 2;
// Work that takes longer counts as slow, unless the queue says otherwise. The time is a tenth of the longest wait for a network, and ten
// times what a healthy distant network needs.
const SLOW_MS = 1_000;
// The most companies that are remembered as quick. A full list is cleared, and a company is listed again after its next quick work.
const MAX_PROVEN = 10_000;

export interface CompanySlots {
  /** Slots for a company of which nothing is claimed. */
  first: number;
  /** The number of rows whose work is in progress. */
  busy(): number;
  /** How many more rows may be claimed of each company that has claimed ones. */
  free(): Map<string, number>;
  claim(company: string): void;
  /** Undoes a claim whose row returned to the queue before its work began. */
  withdraw(company: string): void;
  /** True when the company may begin work on one row more than `besides`; a company that has become slow since the claim has to wait. */
  mayBegin(company: string, besides: number): boolean;
  /** Takes a slot for a claimed row. The function that it returns frees the slot. */
  begin(company: string): () => void;
}

interface CompanyCount {
  claimed: number;
  begun: number;
}

export function createCompanySlots(perCompany: number, slowMs = SLOW_MS): CompanySlots {
  const first = Math.min(UNPROVEN_SLOTS, perCompany);
  const counts = new Map<string, CompanyCount>();
  const proven = new Set<string>();
  let busy = 0;

  const slotShare = (company: string): number => (proven.has(company) ? perCompany : first);

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
    free: () => new Map([...counts].map(([company, { claimed }]) => [company, slotShare(company) - claimed])),
    claim: (company) => change(company, 1, 0),
    withdraw: (company) => change(company, -1, 0),
    mayBegin: (company, besides) => (counts.get(company)?.begun ?? 0) + besides < slotShare(company),
    begin: (company) => {
      change(company, 0, 1);
      let slow = false;
      const timer = setTimeout(() => {
        slow = true;
        proven.delete(company);
      }, slowMs);
      return () => {
        clearTimeout(timer);
        change(company, -1, -1);
        if (!slow) prove(company);
      };
    },
  };
}
