/** The hours of the week in which a campaign sends. */
import { readLocalTime, readMinute } from '../../platform/values/time-zone.ts';
import type { SendingHours } from './schemas.ts';

const MINUTE_SECONDS = 60;
const DAY_MINUTES = 24 * 60;

/**
 * Returns in how many seconds sending may go on; zero while it may. A wait over a change of summer time may end an hour early or late, and
 * then this function is asked again.
 */
export function findHoursWait(hours: SendingHours | null, timeZone: string, now: Date): number {
  if (!hours) return 0;
  const { day, minute, second } = readLocalTime(timeZone, now);
  const [from, to] = [readMinute(hours.from), readMinute(hours.to)];
  const isOpen = (ahead: number): boolean => hours.days.includes(((day - 1 + ahead) % 7) + 1);
  if (isOpen(0) && minute >= from && minute < to) return 0;
  const ahead = [0, 1, 2, 3, 4, 5, 6, 7].find((each) => isOpen(each) && (each > 0 || minute < from)) ?? 7;
  return (ahead * DAY_MINUTES + from - minute) * MINUTE_SECONDS - second;
}
