/** Office hours as the form holds them: the spans of each day as people write them, such as 09:00-12:00, 13:00-18:00. */
import type { Inbox } from '@parley/sdk';

type OfficeHours = NonNullable<NonNullable<Inbox['web_config']>['office_hours']>;
type Day = OfficeHours['days'][number]['day'];

export const DAYS: readonly Day[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

export interface HoursDraft {
  timeZone: string;
  /** The spans of the days, in the order of DAYS; empty for a day without any. */
  days: readonly string[];
  awayText: string;
}

export function toHoursDraft({ time_zone, days, away_text }: OfficeHours): HoursDraft {
  const write = (day: Day): string =>
    days
      .filter((span) => span.day === day)
      .map(({ from, to }) => `${from}-${to}`)
      .join(', ');
  return { timeZone: time_zone, days: DAYS.map(write), awayText: away_text ?? '' };
}

/** The usual hours, in the time zone of the browser. */
export const usualHours = (): HoursDraft => ({
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  days: DAYS.map((day) => (day === 'SAT' || day === 'SUN' ? '' : '09:00-18:00')),
  awayText: '',
});

/** Reads the spans as they are written; the platform says what is wrong with one. */
export function toOfficeHours({ timeZone, days, awayText }: HoursDraft): OfficeHours {
  const spans = DAYS.flatMap((day, index) =>
    (days[index] ?? '')
      .split(',')
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .map((text) => {
        const [from = '', to = ''] = text.split(/[-–]/).map((part) => part.trim());
        return { day, from, to };
      }),
  );
  return { time_zone: timeZone.trim(), days: spans, away_text: awayText.trim() || null };
}
