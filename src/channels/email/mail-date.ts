/** Reads the time that a mail states (RFC 5322, 3.3). The same header gives the same time on every server. */
import { foldBlanks } from './words.ts';

const TIME_OF_DAY = /\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?/;
// A sign behind a digit joins the numbers of a date (2026-11-02), and one before a further sign as well.
const OFFSET = /(?<!\d)[+-]\d{1,2}(?::?\d{2})?\b(?!-)/;
const NAMED_ZONE = /(?<![a-z])(?:UTC?|GMT|Z|[ECMP][SD]T)(?![a-z])/i;
const MONTH = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i;
// Mail is hardly older than 1990: a device without a clock begins in 1970 or 1980, and a number in a text is read as the year 123.
const FIRST_YEAR = 1990;
const LAST_YEAR = 2100;

/** Returns null when the header has no plausible time. A time without a zone is read as UTC, not in the zone of the server. */
export function readMailDate(header: string | undefined): Date | null {
  const written = foldBlanks(header ?? '');
  const { day, zone } = splitTime(written.replaceAll(/\([^()]*\)/g, ''));
  if (!hasYear(day)) return null;
  const readings = zone ? [written] : [`${written} UTC`, `${written}Z`];
  const times = readings.map((text) => Date.parse(text));
  const time = times.find((each) => !Number.isNaN(each));
  return time === undefined || !isPlausible(new Date(time)) ? null : new Date(time);
}

/** Separates the day from its time and from the zone behind that. */
function splitTime(plain: string): { day: string; zone: boolean } {
  const time = TIME_OF_DAY.exec(plain);
  if (time === null) return { day: plain, zone: false };
  const before = plain.slice(0, time.index);
  const rest = plain.slice(time.index + time[0].length);
  return { day: `${before} ${rest.replace(OFFSET, ' ')}`, zone: OFFSET.test(rest) || NAMED_ZONE.test(rest) };
}

/** Whether a text names day, month and year. Of fewer the parser makes a date as well: "5" is a day in 2001. */
const hasYear = (day: string): boolean => (day.match(/\d+/g)?.length ?? 0) + (MONTH.test(day) ? 1 : 0) >= 3;

const isPlausible = (time: Date): boolean => time.getUTCFullYear() >= FIRST_YEAR && time.getUTCFullYear() <= LAST_YEAR;

/** The words of a header without a plausible time; null when it has none. */
export const readUnclearDate = (header: string | undefined): string | null =>
  readMailDate(header) === null ? foldBlanks(header ?? '') || null : null;
