/** The hours of a web chat as its form holds them. */
import type { Inbox } from '@parley/sdk';
import { toWeek, toWeekDraft, usualWeek, type WeekDraft } from '../../../ui/hours/hours.ts';

type OfficeHours = NonNullable<NonNullable<Inbox['web_config']>['office_hours']>;

export interface HoursDraft extends WeekDraft {
  awayText: string;
}

export const toHoursDraft = (hours: OfficeHours): HoursDraft => ({
  ...toWeekDraft(hours),
  awayText: hours.away_text ?? '',
});

export const usualHours = (timeZone: string): HoursDraft => ({ ...usualWeek(timeZone), awayText: '' });

export const toOfficeHours = ({ awayText, ...week }: HoursDraft): OfficeHours => ({
  ...toWeek(week),
  away_text: awayText.trim() || null,
});
