/** The moments until which a conversation can be snoozed. */

const HOUR_MS = 3_600_000;
/** The hour at which a working day begins. */
const MORNING = 9;
const MONDAY = 1;

function morningIn(days: number, now: Date): Date {
  const date = new Date(now);
  date.setDate(date.getDate() + days);
  date.setHours(MORNING, 0, 0, 0);
  return date;
}

/** Returns when a conversation comes back: in an hour, tomorrow morning, or on Monday morning. */
export function snoozeTimes(now = new Date()): { hour: string; tomorrow: string; monday: string } {
  const daysToMonday = (MONDAY - now.getDay() + 7) % 7 || 7;
  return {
    hour: new Date(now.getTime() + HOUR_MS).toISOString(),
    tomorrow: morningIn(1, now).toISOString(),
    monday: morningIn(daysToMonday, now).toISOString(),
  };
}

/** Writes a moment as a date and time field of the browser does: in the time zone of the browser, without seconds. */
export function toLocalInput(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}
