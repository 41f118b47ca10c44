/** The hours in which a company answers, in a time zone of its choice: its business hours, and those of a web chat. */
import { Type, type Static } from 'typebox';
import { DATE_WANTED, isDate } from '../platform/values/date.ts';
import { explainedPattern, NOT_BLANK, nullable, oneOf, strict, plain } from '../platform/values/schema.ts';
import { isTimeZone } from '../platform/values/time-zone.ts';
import type { SettingsFault } from './settings.ts';

const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;

const Clock = Type.String({
  ...explainedPattern('^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$', 'must be a time of the day, from 00:00 to 24:00'),
});

const span = {
  from: Type.String({ ...Clock, description: 'The start of the hours: 09:00' }),
  to: Type.String({ ...Clock, description: 'Their end, later than from: 18:00' }),
};

const Span = strict(span);
type Span = Static<typeof Span>;

const OpenTime = strict({ day: oneOf(DAYS, 'The day of the week'), ...span });

export const timeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'An IANA time zone: America/Sao_Paulo',
});

export const openDays = Type.Array(OpenTime, {
  minItems: 1,
  maxItems: 21,
  description: 'A day can have several spans',
});

export const SpecialDate = strict({
  date: Type.String({ minLength: 10, maxLength: 10, description: 'The day: 2026-12-25' }),
  name: Type.String({ maxLength: 100, description: 'What the day is, for people; can be empty' }),
  spans: Type.Array(Span, { maxItems: 10, description: 'The hours of this day; empty: closed all day' }),
});

export const OfficeHours = plain.strict('When the company is available; null: always', {
  time_zone: timeZone,
  days: openDays,
  away_text: nullable(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      ...NOT_BLANK,
      description: 'What visitors read outside these hours',
    }),
  ),
});
export type OfficeHours = Static<typeof OfficeHours>;

/** What decides whether the company answers at a time. */
export interface Hours {
  time_zone: string;
  days: readonly Static<typeof OpenTime>[];
  special_dates?: readonly Static<typeof SpecialDate>[];
}

/** Returns what is wrong with hours, with its path in them; null if nothing is. */
export function findHoursFault({ time_zone, days, special_dates = [] }: Hours): SettingsFault | null {
  if (!isTimeZone(time_zone)) return { path: 'time_zone', message: 'is not an IANA time zone' };
  const wrong = findWrongSpan('days', days);
  if (wrong) return wrong;
  const dates = special_dates.map(({ date }) => date);
  for (const [index, { date, spans }] of special_dates.entries()) {
    const path = `special_dates[${index}]`;
    if (!isDate(date)) return { path: `${path}.date`, message: DATE_WANTED };
    if (dates.indexOf(date) < index) return { path: `${path}.date`, message: 'is there twice' };
    const fault = findWrongSpan(`${path}.spans`, spans);
    if (fault) return fault;
  }
  return null;
}

function findWrongSpan(path: string, spans: readonly Span[]): SettingsFault | null {
  const wrong = spans.findIndex(({ from, to }) => from >= to);
  return wrong < 0 ? null : { path: `${path}[${wrong}].to`, message: 'must be later than from' };
}

/** A time in which the company answers, in milliseconds since 1970. */
interface Opening {
  fromMs: number;
  toMs: number;
}

const DAY_MS = 86_400_000;
/** How far to look for openings: hours may never come, or hold so little time that a search would take long. */
const LOOK_DAYS = 400;

/** Hours whose days are computed once, however often they are asked for. */
export interface Calendar {
  time_zone: string;
  /** Lists the spans of a day, counted from 1 January 1970, in order. They may overlap. */
  readDay(day: number): readonly Opening[];
}

export function makeCalendar({ time_zone, days, special_dates = [] }: Hours): Calendar {
  const inOrder = (spans: readonly Span[]): Span[] => spans.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  const special = new Map(special_dates.map(({ date, spans }) => [date, inOrder(spans)]));
  const weekly = DAYS.map((name) => inOrder(days.filter(({ day }) => day === name)));
  const known = new Map<number, readonly Opening[]>();
  const computeDay = (day: number): readonly Opening[] => {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    // 1 January 1970 was a Thursday.
    const spans = special.get(date) ?? weekly[(((day + 3) % 7) + 7) % 7] ?? [];
    return spans.length === 0 ? [] : placeSpans(Temporal.PlainDate.from(date), spans, time_zone);
  };
  const readDay = (day: number): readonly Opening[] => {
    const openings = known.get(day) ?? computeDay(day);
    known.set(day, openings);
    return openings;
  };
  return { time_zone, readDay };
}

/** Returns when these spans of a day are. Only on a day on which the clocks change, each time needs a look at the time zone. */
function placeSpans(date: Temporal.PlainDate, spans: readonly Span[], zone: string): Opening[] {
  const startMs = readMoment(date, '00:00', zone);
  const isPlain = readMoment(date, '24:00', zone) - startMs === DAY_MS;
  const place = (clock: string): number =>
    isPlain
      ? startMs + (Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))) * 60_000
      : readMoment(date, clock, zone);
  return spans.map(({ from, to }) => ({ fromMs: place(from), toMs: place(to) }));
}

/** Lists the times from this moment on in which the company answers, without overlaps. The first begins now if it is open. */
export function* listOpenings({ time_zone, readDay }: Calendar, now: Date): Generator<Opening> {
  let passedMs = now.getTime();
  const date = Temporal.Instant.fromEpochMilliseconds(passedMs).toZonedDateTimeISO(time_zone).toPlainDate();
  const first = Date.parse(date.toString()) / DAY_MS;
  for (let day = first; day < first + LOOK_DAYS; day += 1) {
    for (const { fromMs: beginMs, toMs } of readDay(day)) {
      const fromMs = Math.max(passedMs, beginMs);
      if (toMs <= fromMs) continue;
      yield { fromMs, toMs };
      passedMs = toMs;
    }
  }
}

/** Returns when a clock in the time zone shows this; a time that the change of summer time skips comes as much later. */
function readMoment(date: Temporal.PlainDate, clock: string, zone: string): number {
  const [day, plainTime] = clock === '24:00' ? [date.add({ days: 1 }), '00:00'] : [date, clock];
  return day.toZonedDateTime({ timeZone: zone, plainTime }).epochMilliseconds;
}

export interface Availability {
  is_open: boolean;
  /** When the company answers again; null while it does, and when it has no hours. */
  opens_at: string | null;
}

/** Says whether the company answers at this time. Without hours it always does. */
export function findAvailability(hours: Hours | null, now: Date): Availability {
  if (!hours) return { is_open: true, opens_at: null };
  const { value: next } = listOpenings(makeCalendar(hours), now).next() as IteratorResult<Opening, undefined>;
  if (next?.fromMs === now.getTime()) return { is_open: true, opens_at: null };
  return { is_open: false, opens_at: next ? new Date(next.fromMs).toISOString() : null };
}

/** How far to look back for the last opening. */
const LOOK_BACK_DAYS = 14;

/** Returns when the hours closed last before this time, at which they are closed; null if they had no opening in the last days. */
export function findClosing(hours: Hours, now: Date): Date | null {
  let closedMs: number | null = null;
  for (const { toMs } of listOpenings(makeCalendar(hours), new Date(now.getTime() - LOOK_BACK_DAYS * DAY_MS))) {
    if (toMs > now.getTime()) break;
    closedMs = toMs;
  }
  return closedMs === null ? null : new Date(closedMs);
}

/** Returns when so many minutes of opening time have passed; null if the next LOOK_DAYS do not hold that many. */
export function addOpenMinutes(hours: Calendar | null, from: Date, minutes: number): Date | null {
  let leftMs = minutes * 60_000;
  if (!hours) return new Date(from.getTime() + leftMs);
  for (const { fromMs, toMs } of listOpenings(hours, from)) {
    if (toMs - fromMs >= leftMs) return new Date(fromMs + leftMs);
    leftMs -= toMs - fromMs;
  }
  return null;
}
