/** Changes of the list of macros that the page shows at once. */
import type { Macro } from '@parley/sdk';
import { rereadCompany } from '../../records/company.ts';
import { changeFeeds, placeInFeed, removeFromFeed } from '../../records/feeds.ts';

export const MACROS_KEY = ['macros'] as const;

export function showMacro(macro: Macro): void {
  changeFeeds<Macro>(MACROS_KEY, (feed) => placeInFeed(feed, macro, ({ createdAt }) => createdAt));
  rereadCompany('macros');
}

export function forgetMacro(id: string): void {
  changeFeeds<Macro>(MACROS_KEY, (feed) => removeFromFeed(feed, id));
  rereadCompany('macros');
}
