/** Days of the calendar, as values of fields and filters hold them. */

/** Returns whether a value is a day that exists, such as 2026-11-20. */
export function isDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  // JavaScript reads 2026-02-30 as a day in March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** Says what a value that is no day should be. */
export const DATE_WANTED = 'must be a date such as 2026-11-20';
