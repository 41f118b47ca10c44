/** The times that a report can be about: the last days, a calendar week or month, and days that the user chooses. */
import type { ReportsGetSeriesQuery } from '@parley/sdk';
import { startOf, toDay } from '../../ui/days.ts';

type Unit = NonNullable<ReportsGetSeriesQuery['by']>;

const LENGTHS = {
  TODAY: { days: 1, by: 'HOUR' },
  WEEK: { days: 7, by: 'DAY' },
  FORTNIGHT: { days: 14, by: 'DAY' },
  MONTH: { days: 30, by: 'DAY' },
  QUARTER: { days: 90, by: 'DAY' },
  YEAR: { days: 365, by: 'WEEK' },
} as const satisfies Record<string, { days: number; by: Unit }>;

type Length = keyof typeof LENGTHS;
export type Period = Length | 'LAST_WEEK' | 'LAST_MONTH' | 'DATES';
export const PERIODS: readonly Period[] = [...(Object.keys(LENGTHS) as Length[]), 'LAST_WEEK', 'LAST_MONTH', 'DATES'];

/** The first and the last day of a report, as date fields have them. */
export interface Dates {
  from: string;
  to: string;
}

/** Without an end, it lasts until now. */
export interface Range {
  from: string;
  to?: string;
  by: Unit;
}

/** The days are those of the browser, like all times in the console. A week begins on Monday, as in the figures of weeks. */
export function findRange(period: Period, dates: Dates): Range {
  const today = new Date();
  const day = toDay(today);
  if (period === 'DATES') return readDates(dates);
  if (period === 'LAST_WEEK') {
    const sinceMonday = (today.getDay() + 6) % 7;
    return { from: startOf(day, -sinceMonday - 7), to: startOf(day, -sinceMonday), by: 'DAY' };
  }
  if (period === 'LAST_MONTH') {
    const [year, month] = [today.getFullYear(), today.getMonth()];
    const [first, next] = [new Date(year, month - 1, 1), new Date(year, month, 1)];
    return { from: first.toISOString(), to: next.toISOString(), by: 'DAY' };
  }
  const { days, by } = LENGTHS[period];
  return { from: startOf(day, 1 - days), by };
}

/** What the date fields have before anything is chosen: the last fourteen days. */
export const findUsualDates = (): Dates => ({
  from: toDay(new Date(startOf(toDay(new Date()), -13))),
  to: toDay(new Date()),
});

/** The longest report of the platform has 366 days, and one of them may have 25 hours. */
const MOST_DAYS = 365;
/** More points than these are hard to tell apart. */
const MOST_SINGLE_DAYS = 92;
const DAY_MS = 86_400_000;

const countDays = ({ from, to }: Dates): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** Whether a report can be about these days. */
export function areDates(dates: Dates): boolean {
  const days = countDays(dates);
  return days >= 1 && days <= MOST_DAYS;
}

function readDates(chosen: Dates): Range {
  const dates = areDates(chosen) ? chosen : findUsualDates();
  const days = countDays(dates);
  const by = days === 1 ? 'HOUR' : days <= MOST_SINGLE_DAYS ? 'DAY' : 'WEEK';
  const [from, to] = [startOf(dates.from), startOf(dates.to, 1)];
  const now = new Date().toISOString();
  // What is still to come of the last day would be empty.
  return from <= now && now < to ? { from, by } : { from, to, by };
}
