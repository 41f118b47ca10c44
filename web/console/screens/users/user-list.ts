/** Shows changes of users in their list, and in every menu that names them. */
import type { User } from '@parley/sdk';
import { rereadCompany } from '../../records/company.ts';
import { changeFeeds, placeInFeed, removeFromFeed } from '../../records/feeds.ts';
import { showOwnRecord } from '../../session/session.ts';

export const USERS_KEY = ['users'] as const;

export function showUser(user: User): void {
  changeFeeds<User>(USERS_KEY, (feed) => placeInFeed(feed, user, ({ createdAt }) => createdAt));
  rereadCompany('users');
  showOwnRecord(user);
}

export function forgetUser(id: string): void {
  changeFeeds<User>(USERS_KEY, (feed) => removeFromFeed(feed, id));
  rereadCompany('users');
}
