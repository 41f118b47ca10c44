/** Shows changes of business hours in their list, and in every menu that names them. */
import type { BusinessHours } from '@parley/sdk';
import { rereadCompany } from '../../records/company.ts';
import { changeFeeds, placeInFeed, removeFromFeed } from '../../records/feeds.ts';

export const HOURS_KEY = ['business-hours'] as const;

export function showHours(hours: BusinessHours): void {
  changeFeeds<BusinessHours>(HOURS_KEY, (feed) => placeInFeed(feed, hours, ({ createdAt }) => createdAt));
  rereadCompany('business-hours');
}

export function forgetHours(id: string): void {
  changeFeeds<BusinessHours>(HOURS_KEY, (feed) => removeFromFeed(feed, id));
  rereadCompany('business-hours');
  rereadCompany('inboxes');
}
