/** The hours in which a company answers its web chat, in the company's time zone. */
import { Type, type Static } from 'typebox';
import { explainedPattern, NOT_BLANK, nullable, oneOf, strict, plain } from '../platform/values/schema.ts';
import { isTimeZone, readLocalTime, readMinute } from '../platform/values/time-zone.ts';
import type { SettingsFault } from './settings.ts';

const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;

const Clock = Type.String({
  ...explainedPattern('^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$', 'must be a time of the day, from 00:00 to 24:00'),
});

const OpenTime = strict({
  day: oneOf(DAYS, 'The day of the week'),
  from: Type.String({ ...Clock, description: 'The start of the hours: 09:00' }),
  to: Type.String({ ...Clock, description: 'Their end, later than from: 18:00' }),
});

export const OfficeHours = plain.strict('When the company is available; null: always', {
  time_zone: Type.String({ minLength: 1, maxLength: 64, description: 'An IANA time zone: America/Sao_Paulo' }),
  days: Type.Array(OpenTime, {
    minItems: 1,
    maxItems: 21,
    description: 'A day can have several spans',
  }),
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

export function findHoursFault(hours: OfficeHours | null): SettingsFault | null {
  if (!hours) return null;
  if (!isTimeZone(hours.time_zone)) return { path: 'office_hours.time_zone', message: 'is not an IANA time zone' };
  const wrong = hours.days.findIndex(({ from, to }) => from >= to);
  return wrong < 0 ? null : { path: `office_hours.days[${wrong}].to`, message: 'must be later than from' };
}

export interface Availability {
  is_open: boolean;
  /** When the company answers again; null while it does, and when it has no hours. */
  opens_at: string | null;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Says whether the company answers at this time. Without office hours it always does. */
export function findAvailability(hours: OfficeHours | null, now: Date): Availability {
  if (!hours) return { is_open: true, opens_at: null };
  const { day, minute } = readLocalTime(hours.time_zone, now);
  const spans = hours.days.map((span) => ({
    day: DAYS.indexOf(span.day) + 1,
    from: readMinute(span.from),
    to: readMinute(span.to),
  }));
  if (spans.some((span) => span.day === day && span.from <= minute && minute < span.to))
    return { is_open: true, opens_at: null };
  const waits = spans.map((span) => {
    const ahead = (span.day - day + 7) % 7;
    const minutes = ahead * DAY_MINUTES + span.from - minute;
    return minutes > 0 ? minutes : minutes + 7 * DAY_MINUTES;
  });
  const opensAtMs = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS + Math.min(...waits) * MINUTE_MS;
  return { is_open: false, opens_at: new Date(opensAtMs).toISOString() };
}
