/** Time in reports: whole hours, the periods of a series, and the counters that cover a stretch of time. */
import { invalid } from '../../platform/values/errors.ts';
import { isTimeZone } from '../../platform/values/time-zone.ts';
import { MAX_DAYS, MAX_PERIODS, type PeriodUnit, type Range, type Stretch } from './schemas.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_DAYS = 14;

/** Returns the whole hours of a request; without `to` until now, without `from` fourteen days. */
export function readRange({ from, to }: { from?: string; to?: string }, now = new Date()): Range {
  const until = to === undefined ? ceilTo(HOUR_MS, now) : readEnd(to);
  const since = floorTo(
    HOUR_MS,
    from === undefined ? new Date(until.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(from),
  );
  if (since >= until) throw invalid('from', 'must be before `to`');
  if (until.getTime() - since.getTime() > MAX_DAYS * DAY_MS)
    throw invalid('from', `must be at most ${MAX_DAYS} days before \`to\``);
  return { from: since, to: until };
}

/** The end of the last hour of the year 9999 could not be written as a time. */
function readEnd(to: string): Date {
  const end = ceilTo(HOUR_MS, new Date(to));
  if (end.getUTCFullYear() > 9_999) throw invalid('to', 'must be before the last hour of the year 9999');
  return end;
}

/** Returns the stretch of the same length that ends where this one begins. */
export const findPrevious = ({ from, to }: Range): Range => ({
  from: new Date(2 * from.getTime() - to.getTime()),
  to: from,
});

const floorTo = (ms: number, at: Date): Date => new Date(Math.floor(at.getTime() / ms) * ms);
const ceilTo = (ms: number, at: Date): Date => new Date(Math.ceil(at.getTime() / ms) * ms);
const floorMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()));
const ceilMonth = (at: Date): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + (at > floorMonth(at) ? 1 : 0)));

/** Covers whole hours with the fewest counters: months and days (UTC) inside, hours at the ends. */
export function coverRange({ from, to }: Range): Stretch[] {
  const days = { from: ceilTo(DAY_MS, from), to: floorTo(DAY_MS, to) };
  if (days.from >= days.to) return [{ grain: 'HOUR', from, to }];
  const months = { from: ceilMonth(days.from), to: floorMonth(days.to) };
  const inner: Stretch[] =
    months.from >= months.to
      ? [{ grain: 'DAY', ...days }]
      : [
          { grain: 'DAY', from: days.from, to: months.from },
          { grain: 'MONTH', ...months },
          { grain: 'DAY', from: months.to, to: days.to },
        ];
  const all: Stretch[] = [{ grain: 'HOUR', from, to: days.from }, ...inner, { grain: 'HOUR', from: days.to, to }];
  return all.filter((each) => each.from < each.to);
}

/** Returns when each period of the range begins by the clocks of the time zone; the first one begins with the range. */
export function listStarts({ from, to }: Range, by: PeriodUnit, timeZone: string): Date[] {
  const starts = [from];
  for (const start of by === 'HOUR' ? walkHours(from) : walkDays(from, by, timeZone)) {
    if (start >= to) break;
    if (start > (starts.at(-1) ?? from)) starts.push(start);
    if (starts.length > MAX_PERIODS)
      throw invalid('by', `must be longer: there would be more than ${MAX_PERIODS} periods`);
  }
  return starts;
}

/** Hours are those of UTC, for which figures are kept. */
function* walkHours(from: Date): Generator<Date, never> {
  for (let ms = from.getTime() + HOUR_MS; ; ms += HOUR_MS) yield new Date(ms);
}

const STEPS = { DAY: { days: 1 }, WEEK: { weeks: 1 }, MONTH: { months: 1 } } as const;

/** A day begins at one o'clock when the clocks go forward at midnight. An hour counts for the day in which it begins. */
function* walkDays(from: Date, by: keyof typeof STEPS, timeZone: string): Generator<Date, never> {
  const first = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
  for (let day = findFirstDay(first, by).add(STEPS[by]); ; day = day.add(STEPS[by]))
    yield ceilTo(HOUR_MS, new Date(day.toZonedDateTime(timeZone).epochMilliseconds));
}

function findFirstDay(day: Temporal.PlainDate, by: keyof typeof STEPS): Temporal.PlainDate {
  if (by === 'DAY') return day;
  return by === 'WEEK' ? day.subtract({ days: day.dayOfWeek - 1 }) : day.with({ day: 1 });
}

/** Returns the time zone of a request: an IANA name. */
export function readTimeZone(asked: string): string {
  // JavaScript takes +03:00 for a time zone as well.
  if (!/^[A-Za-z]/.test(asked) || !isTimeZone(asked)) throw invalid('time_zone', 'is not a time zone');
  return asked;
}
