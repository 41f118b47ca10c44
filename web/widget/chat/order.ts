/** The messages of a chat, the oldest first. */
import type { ChatMessage } from '../api/types.ts';

const isBefore = (a: ChatMessage, b: ChatMessage): boolean =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a._id < b._id);

/** Adds messages, each at its place. One that is there already is replaced, because its text or status may have changed. */
export function placeMessages(messages: readonly ChatMessage[], added: readonly ChatMessage[]): readonly ChatMessage[] {
  const all = new Map([...messages, ...added].map((message) => [message._id, message]));
  return [...all.values()].toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
}

export const isOwn = ({ author }: ChatMessage): boolean => author.kind === 'VISITOR';

/** True when the company has read the visitor's newest message. */
export const isNewestSeen = (newest: ChatMessage | undefined, unseenCount: number): boolean =>
  newest !== undefined && (newest.status === 'READ' || unseenCount === 0);

export type ThreadRow =
  | { kind: 'day'; key: string; at: string }
  | { kind: 'message'; key: string; message: ChatMessage; isFirst: boolean; isLast: boolean };

/**
 * Returns the rows of the thread: the messages, and a mark where a day begins. The first message of a writer shows who it is, the last one
 * when it was.
 */
export function makeRows(messages: readonly ChatMessage[]): ThreadRow[] {
  return messages.flatMap((message, index): ThreadRow[] => {
    const { _id: key, createdAt: at } = message;
    const [before, next] = [messages[index - 1], messages[index + 1]];
    const isNewDay = !before || nameDay(before) !== nameDay(message);
    const isFirst = isNewDay || nameWriter(before) !== nameWriter(message);
    const isLast = !next || nameDay(next) !== nameDay(message) || nameWriter(next) !== nameWriter(message);
    const row: ThreadRow = { kind: 'message', key, message, isFirst, isLast };
    return isNewDay ? [{ kind: 'day', key: nameDay(message), at }, row] : [row];
  });
}

const nameDay = ({ createdAt }: ChatMessage): string => new Date(createdAt).toDateString();
const nameWriter = ({ author }: ChatMessage): string => `${author.kind} ${author.name}`;
