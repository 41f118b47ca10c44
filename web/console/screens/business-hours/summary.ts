/** The hours of a week in one line, such as Mon–Fri 09:00-18:00, and the special date that comes next. */
import type { BusinessHours } from '@parley/sdk';
import { formatDate, formatWeekday } from '../../texts/formats.ts';
import { startOf, toDay } from '../../ui/days.ts';
import { toWeekDraft } from '../../ui/hours/hours.ts';

export function summarizeWeek(hours: BusinessHours): string {
  const groups: { from: number; to: number; text: string }[] = [];
  for (const [index, text] of toWeekDraft(hours).days.entries()) {
    const last = groups.at(-1);
    if (last?.text === text) last.to = index;
    else groups.push({ from: index, to: index, text });
  }
  const name = (index: number): string => formatWeekday(index + 1, 'short');
  return groups
    .filter(({ text }) => text !== '')
    .map(({ from, to, text }) => `${from === to ? name(from) : `${name(from)}–${name(to)}`} ${text}`)
    .join(' · ');
}

/** Returns the next of the dates, which may be today; undefined when all are over. */
export function findNextDate(dates: BusinessHours['special_dates']): string | undefined {
  const today = toDay(new Date());
  const [next] = dates.flatMap(({ date }) => (date >= today ? [date] : [])).toSorted();
  return next && formatDate(startOf(next));
}
