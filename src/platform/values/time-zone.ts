/** Returns true for the name of a time zone, such as America/Sao_Paulo. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch {
    // Failure policy: Intl throws only for a name that it does not know, so the answer is false.
    return false;
  }
}

export interface LocalTime {
  /** The day of the week: 1 is Monday, 7 is Sunday. */
  day: number;
  /** Minutes since midnight, 0 to 1439. */
  minute: number;
  /** Seconds since the minute began, 0 to 59. */
  second: number;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Returns what a clock in the time zone shows at this moment. */
export function readLocalTime(timeZone: string, now: Date): LocalTime {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(now);
  const read = (name: string): string => parts.find(({ type }) => type === name)?.value ?? '0';
  return {
    day: WEEKDAYS.indexOf(read('weekday')) + 1,
    minute: Number(read('hour')) * 60 + Number(read('minute')),
    second: Number(read('second')),
  };
}

/** The minute of the day of a time such as 09:30. */
export const readMinute = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
