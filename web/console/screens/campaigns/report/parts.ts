/** What became of the contacts of a campaign. */

export const PARTS = ['sent', 'failed', 'skipped', 'cancelled', 'unknown', 'pending'] as const;
type Parts = Record<(typeof PARTS)[number], number>;

const ENDED = ['COMPLETED', 'CANCELLED', 'FAILED'];

export const isOver = (status: string): boolean => ENDED.includes(status);

/** Once a campaign is over nobody waits any more: the network has not said what became of their messages. */
export function countParts(numbers: Omit<Parts, 'unknown'> & { unknown?: number; status: string }): Parts {
  const { pending, unknown, status } = numbers;
  if (unknown !== undefined) return { ...numbers, unknown };
  return isOver(status) ? { ...numbers, unknown: pending, pending: 0 } : { ...numbers, unknown: 0 };
}
