/** The scheduled messages of a conversation: those that still wait, and those that could not be sent at their time. */
import type { CallOptions, ScheduledMessage, ScheduledMessageUpdate } from '@parley/sdk';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, removeFromFeed, useFeed, type Feed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const FEEDS = 'scheduled-messages';
type Shown = 'SCHEDULED' | 'FAILED';
const keyOf = (conversation: string, status: Shown): readonly string[] => [FEEDS, conversation, status];

/** Follows all of them: they are shown among the messages, whose order is that of other times. */
const useListed = (conversation: string, status: Shown): FeedView<ScheduledMessage> =>
  useFeed<ScheduledMessage>(keyOf(conversation, status), async (_after, signal) => {
    const result: ScheduledMessage[] = [];
    for await (const each of parley.scheduledMessages.list.all({ conversation, status }, { signal })) result.push(each);
    return { result, meta: { nextCursor: null } };
  });

/** Follows what is sent later and what is held, so that its author can take it back. */
export const useScheduled = (conversation: string): FeedView<ScheduledMessage> => useListed(conversation, 'SCHEDULED');
export const useFailedScheduled = (conversation: string): FeedView<ScheduledMessage> =>
  useListed(conversation, 'FAILED');

/** How far the browser's clock is ahead of the platform's, according to the last response. */
let aheadMs = 0;

/** Returns the seconds until the message is sent. */
export const findSecondsLeft = ({ send_at }: ScheduledMessage): number =>
  Math.max(0, Math.ceil((Date.parse(send_at) + aheadMs - Date.now()) / 1_000));

/** Shows a change of a scheduled message, unless a newer one is shown already. */
export function showScheduled(scheduled: ScheduledMessage): void {
  changeFeeds<ScheduledMessage>([FEEDS, scheduled.conversation], (feed, [, , status]) => {
    const before = feed.items.find(({ _id }) => _id === scheduled._id);
    if (before && before.updatedAt > scheduled.updatedAt) return feed;
    return scheduled.status === status
      ? placeInFeed(feed, scheduled, ({ createdAt }) => createdAt)
      : removeFromFeed(feed, scheduled._id);
  });
}

/** Shows what this browser has just scheduled. */
export function showCreated(scheduled: ScheduledMessage): void {
  aheadMs = Date.now() - Date.parse(scheduled.createdAt);
  showScheduled(scheduled);
}

export const rereadScheduled = (): void => void queries.invalidateQueries({ queryKey: [FEEDS] });

export const cancelScheduled = async ({ _id }: ScheduledMessage): Promise<void> =>
  showScheduled(await parley.scheduledMessages.cancel(_id));

export const sendScheduled = async ({ _id }: ScheduledMessage, options?: CallOptions): Promise<void> =>
  showScheduled(await parley.scheduledMessages.send(_id, options));

export const changeScheduled = async ({ _id }: ScheduledMessage, change: ScheduledMessageUpdate): Promise<void> =>
  showScheduled(await parley.scheduledMessages.update(_id, change));

/** Sends the held messages of a conversation immediately, before anything else happens to it. */
export async function sendHeld(conversation: string, options: CallOptions): Promise<void> {
  const known = queries.getQueryData<Feed<ScheduledMessage>>(keyOf(conversation, 'SCHEDULED'))?.items ?? [];
  const held = known.filter(({ is_held }) => is_held).toSorted(bySendAt);
  // Failure policy: a message that was sent or cancelled meanwhile does not stop the others.
  for (const each of held) await sendScheduled(each, options).catch(() => undefined);
}

export const bySendAt = (a: ScheduledMessage, b: ScheduledMessage): number =>
  a.send_at === b.send_at ? Number(a._id > b._id) - Number(a._id < b._id) : a.send_at < b.send_at ? -1 : 1;
