/** The rows of a thread from its oldest message on: the messages, and a mark where a day begins. */
import type { Message } from '@parley/sdk';
import type { Outgoing } from './outbox.ts';

export type ThreadRow =
  | { kind: 'day'; key: string; at: string }
  | { kind: 'message'; key: string; message: Message; reactions: readonly string[] }
  | { kind: 'outgoing'; key: string; outgoing: Outgoing };

/** `newestFirst` are the loaded messages. A reaction stands at the message that it belongs to, if that one is loaded. */
export function makeRows(newestFirst: readonly Message[], outgoing: readonly Outgoing[]): ThreadRow[] {
  const rows: ThreadRow[] = [];
  const reactions = findReactions(newestFirst);
  let day = '';
  for (const message of newestFirst.toReversed()) {
    if (reactions.shown.has(message._id)) continue;
    const date = new Date(message.createdAt).toDateString();
    if (date !== day) rows.push({ kind: 'day', key: date, at: message.createdAt });
    day = date;
    const marks = [...(reactions.of.get(message._id)?.values() ?? [])];
    rows.push({ kind: 'message', key: message._id, message, reactions: marks });
  }
  for (const each of outgoing) rows.push({ kind: 'outgoing', key: each.key, outgoing: each });
  return rows;
}

interface Reactions {
  /** Of each message, the newest reaction of each person. */
  of: Map<string, Map<string, string>>;
  /** The messages that are shown as a reaction of another one. */
  shown: Set<string>;
}

function findReactions(newestFirst: readonly Message[]): Reactions {
  const loaded = new Set(newestFirst.map(({ _id }) => _id));
  const of = new Map<string, Map<string, string>>();
  const shown = new Set<string>();
  for (const { _id, reaction, sender, sender_type } of newestFirst.toReversed()) {
    if (!reaction?.message || !loaded.has(reaction.message)) continue;
    shown.add(_id);
    const marks = of.get(reaction.message) ?? new Map<string, string>();
    const person = sender ?? sender_type;
    // A reaction without an emoji takes the one before back.
    if (reaction.emoji) marks.set(person, reaction.emoji);
    else marks.delete(person);
    of.set(reaction.message, marks);
  }
  return { of, shown };
}
