/** Shows changes of teams in their list, and in every menu that names them. */
import type { Team } from '@parley/sdk';
import { rereadCompany } from '../../records/company.ts';
import { changeFeeds, placeInFeed, removeFromFeed } from '../../records/feeds.ts';

export const TEAMS_KEY = ['teams'] as const;

export function showTeam(team: Team): void {
  changeFeeds<Team>(TEAMS_KEY, (feed) => placeInFeed(feed, team, ({ createdAt }) => createdAt));
  rereadCompany('teams');
}

export function forgetTeam(id: string): void {
  changeFeeds<Team>(TEAMS_KEY, (feed) => removeFromFeed(feed, id));
  rereadCompany('teams');
}
