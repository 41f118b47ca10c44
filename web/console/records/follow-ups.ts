/** What agents write, or would have written, to a contact who does not answer. */
import type { Conversation, FollowUp } from '@parley/sdk';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, useFeed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const FEEDS = 'follow-ups';
const PAGE = 50;

/** Lists the follow-ups of a conversation, the last scheduled first. */
export const useFollowUps = ({ _id: conversation }: Conversation): FeedView<FollowUp> =>
  useFeed([FEEDS, conversation], (after, signal) =>
    parley.agents.followUps({ conversation, limit: PAGE, skipCount: true, after }, { signal }),
  );

/** Shows a change of a follow-up. An older state than the one that is shown is ignored. */
export function showFollowUp(followUp: FollowUp): void {
  changeFeeds<FollowUp>([FEEDS, followUp.conversation], (feed) => {
    const before = feed.items.find(({ _id }) => _id === followUp._id);
    if (before && before.updatedAt > followUp.updatedAt) return feed;
    return placeInFeed(feed, followUp, ({ createdAt }) => createdAt);
  });
}

/** Cancels a follow-up that waits. */
export async function cancelFollowUp({ _id }: FollowUp): Promise<void> {
  showFollowUp(await parley.agents.cancelFollowUp(_id));
}

export const rereadFollowUps = (): void => void queries.invalidateQueries({ queryKey: [FEEDS] });
