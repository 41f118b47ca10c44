/** Writes times and numbers in the language of the console and the time zone of the browser. */
import { findFormat, writeBytes, writeCountry, writeDay, writeTime } from '../../browser/formats.ts';
import { getLanguage } from './language.ts';

const format = (options: Intl.DateTimeFormatOptions, at: string): string =>
  findFormat(getLanguage(), options).format(new Date(at));

const isSameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

const DAY_MS = 86_400_000;

/** 14:05 */
export const formatTime = (at: string): string => writeTime(getLanguage(), at);

/** 23 Nov 2026, 14:05 */
export const formatMoment = (at: string): string => format({ dateStyle: 'medium', timeStyle: 'short' }, at);

/** 23 Nov 2026 */
export const formatDate = (at: string): string => format({ dateStyle: 'medium' }, at);

/** The moment in a column of a list: 23 Nov, 14:05; in another year 23 Nov 2026. */
export function formatListed(at: string, now = new Date()): string {
  const isThisYear = new Date(at).getFullYear() === now.getFullYear();
  if (!isThisYear) return formatDate(at);
  return format({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }, at);
}

/** The short form of a conversation in a list: the time of today, the weekday of the last six days, else the date. */
export function formatShort(at: string, now = new Date()): string {
  const date = new Date(at);
  if (isSameDay(date, now)) return formatTime(at);
  if (now.getTime() - date.getTime() < 6 * DAY_MS) return format({ weekday: 'short' }, at);
  return format({ day: 'numeric', month: 'short' }, at);
}

/** Formats a time of the next days: 14:05 for today, otherwise Tue 14:05. */
export const formatWeekdayTime = (at: string, now = new Date()): string =>
  isSameDay(new Date(at), now) ? formatTime(at) : format({ weekday: 'short', hour: 'numeric', minute: '2-digit' }, at);

/** The name of a weekday; 1 is Monday. */
export const formatWeekday = (day: number, weekday: 'long' | 'short' = 'long'): string =>
  // The first of June 2026 is a Monday.
  findFormat(getLanguage(), { weekday, timeZone: 'UTC' }).format(Date.UTC(2026, 5, day));

/** The heading of a day in a conversation. */
export const formatDay = (at: string): string => writeDay(getLanguage(), at);

export const formatNumber = (value: number): string =>
  value.toLocaleString(getLanguage(), { maximumFractionDigits: 20 });

/** $0.00048: an answer of a model may cost a small part of a cent. */
export const formatMoney = ({ amount, currency }: { amount: number; currency: string }): string =>
  amount.toLocaleString(getLanguage(), { style: 'currency', currency, maximumFractionDigits: 8 });

/** Writes an average of ratings, such as 4.7. */
export const formatScore = (score: number): string =>
  score.toLocaleString(getLanguage(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Writes a share between 0 and 1 as a percentage, such as 12.5 %. */
export const formatShare = (share: number): string =>
  share.toLocaleString(getLanguage(), { style: 'percent', maximumFractionDigits: 1 });

/** 1.2 s, or 340 ms below a second */
export const formatMilliseconds = (ms: number): string =>
  ms < 1_000 ? formatUnit(ms, 'millisecond') : formatUnit(ms / 1_000, 'second');

const formatUnit = (value: number, unit: 'millisecond' | 'second'): string =>
  value.toLocaleString(getLanguage(), { style: 'unit', unit, maximumFractionDigits: 1 });

/** 3 days */
export const formatDuration = (count: number, unit: 'minute' | 'hour' | 'day'): string =>
  count.toLocaleString(getLanguage(), { style: 'unit', unit, unitDisplay: 'long' });

/** 45s, 4m 12s, 3h 20m, 2d 4h: the two largest units. */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  const index = UNITS.findIndex(({ size }) => whole >= size);
  const [first, second] = index === -1 ? UNITS.slice(-1) : UNITS.slice(index, index + 2);
  if (!first) return '';
  const rest = second ? Math.floor((whole % first.size) / second.size) : 0;
  const parts = [
    { ...first, count: Math.floor(whole / first.size) },
    ...(second && rest > 0 ? [{ ...second, count: rest }] : []),
  ];
  return parts
    .map(({ unit, count }) => count.toLocaleString(getLanguage(), { style: 'unit', unit, unitDisplay: 'narrow' }))
    .join(' ');
}

const UNITS = [
  { unit: 'day', size: 86_400 },
  { unit: 'hour', size: 3_600 },
  { unit: 'minute', size: 60 },
  { unit: 'second', size: 1 },
] as const;

/** 23 Nov */
export const formatDayMonth = (at: string): string => format({ day: 'numeric', month: 'short' }, at);

/** 18 min, 4 h, 3 d: the largest unit alone. */
export function formatShortDuration(minutes: number): string {
  const [value, unit] =
    minutes < 60 ? [minutes, 'minute'] : minutes < 1_440 ? [minutes / 60, 'hour'] : [minutes / 1_440, 'day'];
  const options = { style: 'unit', unit, unitDisplay: minutes < 60 ? 'short' : 'narrow' } as const;
  return Math.floor(value).toLocaleString(getLanguage(), options);
}

/** Brazil for BR */
export const formatCountry = (code: string): string => writeCountry(getLanguage(), code);

/** 1.4 MB */
export const formatBytes = (bytes: number): string => writeBytes(getLanguage(), bytes);

/** Writes a number as people type it, so that parseNumber() reads the same one. */
export const writeNumber = (value: number): string =>
  value.toLocaleString(getLanguage(), { maximumFractionDigits: 20, useGrouping: false });

/** Reads a number as people write it in any language, with a comma or a point before the fraction; null when the text is none. */
export function parseNumber(text: string): number | null {
  const parts = new Intl.NumberFormat(getLanguage()).formatToParts(12_345.6);
  const find = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  const [group, decimal] = [find('group'), find('decimal')];
  const typed = text.trim();
  // Only groups of three digits behind another digit than 0 are groups, so that 1.5 and 0.125 stay what they are where a comma stands
  // before the fraction.
  const isGrouped = new RegExp(`^-?[1-9]\\d{0,2}(\\${group}\\d{3})+(\\${decimal}\\d*)?$`).test(typed);
  const plain = (isGrouped ? typed.replaceAll(group, '') : typed).replace(decimal, '.').replace(',', '.');
  return /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : null;
}

/** Reads the number of a field for a request. What is no number stays a text, and the platform says what is wrong with it. */
export const toNumber = (text: string): number => (parseNumber(text) ?? text) as number;
