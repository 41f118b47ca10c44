/**
 * The rows of a thread from its oldest message on: the messages, what happened between them, and a mark where a day begins. Above them stand the
 * earlier conversations of the contact, each under a line of its own.
 */
import type { HistoryEntry, Message, ScheduledMessage } from '@parley/sdk';
import { bySendAt } from '../../../records/scheduled-messages.ts';
import type { Outgoing } from './outbox.ts';

/** The emoji of the contact, and that of the company; null where there is none. */
export interface Reactions {
  theirs: string | null;
  ours: string | null;
}

export type ThreadRow =
  | { kind: 'conversation'; key: string; conversation: string }
  | { kind: 'day'; key: string; at: string }
  | {
      kind: 'message';
      key: string;
      message: Message;
      reactions: Reactions;
      follows: boolean;
      isEarlier: boolean;
    }
  | { kind: 'new'; key: string }
  | { kind: 'history'; key: string; entry: HistoryEntry }
  | { kind: 'outgoing'; key: string; outgoing: Outgoing }
  | { kind: 'scheduled'; key: string; scheduled: ScheduledMessage };

interface Loaded {
  conversation: string;
  /** The loaded messages, the newest first. */
  messages: readonly Message[];
  /** What happened since the oldest of them, the newest first. */
  history: readonly HistoryEntry[];
  outgoing: readonly Outgoing[];
  /** What is sent later, and what is held so that it can be taken back. */
  scheduled: readonly ScheduledMessage[];
  /** What could not be sent at its time. */
  failed: readonly ScheduledMessage[];
  /** The loaded messages of earlier conversations, one conversation behind the other. */
  earlier: readonly Message[];
  /** The first message that was unread when the thread was opened; null when all were read. */
  firstUnread: string | null;
  /** Whether the thread has begun with its first message, above which earlier conversations stand. */
  isWhole: boolean;
}

export function makeRows(loaded: Loaded): ThreadRow[] {
  const { conversation, messages, history, outgoing, earlier, firstUnread, isWhole } = loaded;
  const own = makeSection({ messages, history, failed: chooseFailed(loaded), firstUnread, days: '' });
  const { held = [], later = [] } = Object.groupBy(loaded.scheduled.toSorted(bySendAt), ({ is_held }) =>
    is_held ? 'held' : 'later',
  );
  own.push(...held.map(toRow));
  for (const each of outgoing) own.push({ kind: 'outgoing', key: each.key, outgoing: each });
  own.push(...later.map(toRow));
  if (!isWhole || earlier.length === 0) return own;
  const above = [...Map.groupBy(earlier, (message) => message.conversation)].toReversed();
  return [
    ...above.flatMap(([id, before]) => [
      makeDivider(id),
      ...makeSection({ messages: before, history: [], failed: [], firstUnread: null, days: id }),
    ]),
    makeDivider(conversation),
    ...own,
  ];
}

const toRow = (scheduled: ScheduledMessage): ThreadRow => ({ kind: 'scheduled', key: scheduled._id, scheduled });

/** Returns the scheduled messages that failed before they became messages, since the oldest loaded message. */
function chooseFailed({ failed, messages, isWhole }: Loaded): ScheduledMessage[] {
  const since = messages.at(-1)?.createdAt ?? '';
  return failed.filter(({ sent_message, send_at }) => sent_message === null && (isWhole || send_at >= since));
}

const makeDivider = (conversation: string): ThreadRow => ({
  kind: 'conversation',
  key: `conversation ${conversation}`,
  conversation,
});

interface Section extends Pick<Loaded, 'messages' | 'history' | 'failed' | 'firstUnread'> {
  /** Distinguishes the days of an earlier conversation from the same days of others; empty for the open one. */
  days: string;
}

/** A reaction stands at the message that it belongs to, if that one is loaded. */
function makeSection({ messages, history, failed, firstUnread, days }: Section): ThreadRow[] {
  const rows: ThreadRow[] = [];
  const isEarlier = days !== '';
  const reactions = findReactions(messages);
  const bubbles = messages
    .filter(({ _id }) => !reactions.shown.has(_id))
    .map((message): [string, ThreadRow] => {
      const marks = reactions.of.get(message._id) ?? NO_REACTIONS;
      return [
        message.createdAt,
        { kind: 'message', key: message._id, message, reactions: marks, follows: false, isEarlier },
      ];
    });
  const lines = history.map((entry): [string, ThreadRow] => [
    entry.createdAt,
    { kind: 'history', key: entry._id, entry },
  ]);
  const stopped = failed.map((each): [string, ThreadRow] => [each.send_at, toRow(each)]);
  let day = '';
  for (const [at, row] of [...bubbles.toReversed(), ...lines.toReversed(), ...stopped].toSorted(byTime)) {
    const date = new Date(at).toDateString();
    if (date !== day) rows.push({ kind: 'day', key: days + date, at });
    day = date;
    if (row.key === firstUnread) rows.push({ kind: 'new', key: 'new' });
    const before = rows.at(-1);
    const follows = row.kind === 'message' && before?.kind === 'message' && isTogether(before.message, row.message);
    rows.push(follows ? { ...row, follows } : row);
  }
  return rows;
}

/** Whether both messages are of the same person and minute, so that the second one needs no name. */
const isTogether = (a: Message, b: Message): boolean =>
  a.message_type === b.message_type &&
  a.sender_type === b.sender_type &&
  a.sender === b.sender &&
  a.agent === b.agent &&
  a.email?.from?.address === b.email?.from?.address &&
  a.createdAt.slice(0, 16) === b.createdAt.slice(0, 16);

/** Times are texts of equal length. The sort is stable, so what happened at the same moment keeps its order. */
const byTime = ([a]: [string, ThreadRow], [b]: [string, ThreadRow]): number => Number(a > b) - Number(a < b);

const NO_REACTIONS: Reactions = { theirs: null, ours: null };

interface FoundReactions {
  /** The newest reactions to each message. On the network, all users of the company are one person. */
  of: Map<string, Reactions>;
  /** The messages that are shown as a reaction of another one. */
  shown: Set<string>;
}

function findReactions(newestFirst: readonly Message[]): FoundReactions {
  const loaded = new Set(newestFirst.map(({ _id }) => _id));
  const of = new Map<string, Reactions>();
  const shown = new Set<string>();
  for (const { _id, reaction, message_type, status } of newestFirst.toReversed()) {
    // One that has failed changes nothing, and is shown by itself with its cause.
    if (!reaction?.message || !loaded.has(reaction.message) || status === 'FAILED') continue;
    shown.add(_id);
    const before = of.get(reaction.message) ?? NO_REACTIONS;
    of.set(reaction.message, { ...before, [message_type === 'INCOMING' ? 'theirs' : 'ours']: reaction.emoji });
  }
  return { of, shown };
}

/** Messages of the contact are news, except for reactions. */
const isNews = ({ message_type, contentType }: Message): boolean =>
  message_type === 'INCOMING' && contentType !== 'REACTION';

/** Returns the id of the first unread message, given how many are unread; null when none is, or when it is not loaded. */
export const findFirstUnread = (newestFirst: readonly Message[], unread: number): string | null =>
  newestFirst.filter(isNews)[unread - 1]?._id ?? null;

/** Counts what the contact has written after this message. */
export function countNews(newestFirst: readonly Message[], after: string | undefined): number {
  const index = newestFirst.findIndex(({ _id }) => _id === after);
  return newestFirst.slice(0, Math.max(0, index)).filter(isNews).length;
}
