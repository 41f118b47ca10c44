/** Weekly hours as forms hold them: the spans of each day as people write them, such as 09:00-12:00, 13:00-18:00. */
import type { BusinessHours } from '@parley/sdk';

type OpenTime = BusinessHours['days'][number];
type Span = Omit<OpenTime, 'day'>;

const DAYS: readonly OpenTime['day'][] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

export interface WeekDraft {
  timeZone: string;
  /** The spans of the days, from Monday; empty for a day without any. */
  days: readonly string[];
}

export const writeSpans = (spans: readonly Span[]): string => spans.map(({ from, to }) => `${from}-${to}`).join(', ');

/** Reads “9” and “9:30” as 09:00 and 09:30. */
function readClock(text: string): string {
  const [, hours, minutes = '00'] = /^(\d{1,2})(?:[:.h](\d{2}))?h?$/.exec(text.trim()) ?? [];
  return hours === undefined ? text.trim() : `${hours.padStart(2, '0')}:${minutes}`;
}

/** Reads typed spans such as “09:00–18:00” or “9-18”. A wrong one is passed on as it is, and the API reports it. */
export const readSpans = (text: string): Span[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [from = '', to = ''] = part.split(/[-–]/).map(readClock);
      return { from, to };
    });

export const toWeekDraft = ({ time_zone, days }: Pick<BusinessHours, 'time_zone' | 'days'>): WeekDraft => ({
  timeZone: time_zone,
  days: DAYS.map((name) => writeSpans(days.filter(({ day }) => day === name))),
});

export const toWeek = ({ timeZone, days }: WeekDraft): Pick<BusinessHours, 'time_zone' | 'days'> => ({
  time_zone: timeZone,
  days: DAYS.flatMap((day, index) => readSpans(days[index] ?? '').map((span) => ({ day, ...span }))),
});

/** The usual hours. */
export const usualWeek = (timeZone: string): WeekDraft => ({
  timeZone,
  days: DAYS.map((day) => (day === 'SAT' || day === 'SUN' ? '' : '09:00-18:00')),
});
