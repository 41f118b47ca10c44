/** Days where the user is, as a date field has them: 2026-11-23. */

export const toDay = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

/** Returns when a day begins, or one that is some days later. */
export function startOf(day: string, daysLater = 0): string {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + daysLater);
  return date.toISOString();
}
