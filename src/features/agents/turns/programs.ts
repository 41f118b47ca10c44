/**
 * Recognises contacts that are programs which answer by themselves: another help desk, an out-of-office notice, another agent. Two programs
 * would answer each other for ever. Mails that say so in their headers never reach an agent; this rule is for all others. It reads what is
 * stored, so it holds for every channel and agent, in any process, and counts follow-ups as well.
 */
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { foldWords } from '../answers/fold.ts';
import { countAutomatic, listReplies, type Exchange, type Reply } from './program-queries.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// A person has to read each answer, write, and wait for AGENT_WAIT and the model. No one gets an answer every 15 seconds for ten minutes in this
// way, while two programs reach 40 answers in a few minutes.
const LATELY_SECONDS = 600;
const MOST_LATELY = declareLimit(40, {
  topic: 'Agents',
  what: 'Messages of agents to one contact in 10 minutes',
  beyond: 'the agent hands over',
});
// Programs that wait before they answer stay below that limit. A person who gets an answer every 90 seconds has talked for five hours then.
const MOST_TODAY = declareLimit(200, {
  topic: 'Agents',
  what: 'Messages of agents to one contact in 24 hours',
  beyond: 'the agent hands over',
});
// A person who sends the same text four times in a row is not helped by a fifth answer either, and a program often has a single text.
const MOST_REPEATED = 4;
// People say "no" and "thank you" again and again, also to all questions of a form. A shorter text is left to the limits above.
const LEAST_REPEATED = 16;
// Each notice of a help desk has another number, but so have the questions of resellers and accountants, who ask for one order or invoice after
// the other. A machine replies within seconds. A person reads the answer first, so a text that repeats but for its numbers counts only when
// each came this soon. The replies between may differ, because some programs have several texts.
const REPEATED_SECONDS = 10;
const REPLIES = 16;
// A contact may write several messages for each answer.
const MESSAGES_READ = 100;
// No one types 60 characters in three seconds: the best typists need five. A person may have begun before our answer came, but not five times
// in a row.
const QUICK_SECONDS = 3;
const LEAST_QUICK = 60;
const MOST_QUICK = 5;
// Two programs that wait before they reply stay below MOST_LATELY with an answer every 15 seconds or more, so this time is longer. Someone who
// writes 30 characters needs ten of these seconds, at 40 words a minute, and reads our answer before. A quick person does that now and then,
// but not ten times in a row without a pause or a short word. People who tap buttons are quicker, so taps do not count.
const SWIFT_SECONDS = 20;
const LEAST_SWIFT = 30;
const MOST_SWIFT = 10;

/** Whether the contact of a conversation writes as only a program does. */
export async function isProgram(read: TenantRead, exchange: Exchange): Promise<boolean> {
  const limits = { seconds: LATELY_SECONDS, limit: MOST_TODAY };
  const { lately, today } = await countAutomatic(read, exchange, limits);
  if (lately >= MOST_LATELY || today >= MOST_TODAY) return true;
  const replies = await listReplies(read, exchange.conversation, { replies: REPLIES, messages: MESSAGES_READ });
  return (
    repeatsItself(replies) ||
    repeatsQuickly(replies) ||
    repliesWithin(replies, { count: MOST_QUICK, seconds: QUICK_SECONDS, length: LEAST_QUICK }) ||
    repliesWithin(replies, { count: MOST_SWIFT, seconds: SWIFT_SECONDS, length: LEAST_SWIFT })
  );
}

/** Whether the newest replies have the same text, at whatever pace they came. */
function repeatsItself(replies: Reply[]): boolean {
  const newest = replies.slice(0, MOST_REPEATED).map(({ text }) => (text ?? '').trim());
  const [first = ''] = newest;
  return newest.length === MOST_REPEATED && first.length >= LEAST_REPEATED && newest.every((text) => text === first);
}

/** Whether the newest reply was there several times already but for its numbers, each time soon after our answer. */
function repeatsQuickly(replies: Reply[]): boolean {
  const folded = replies.map(({ text, seconds }) => (seconds <= REPEATED_SECONDS ? foldText(text ?? '') : ''));
  const [newest = '', ...earlier] = folded;
  return newest.length >= LEAST_REPEATED && earlier.filter((text) => text === newest).length >= MOST_REPEATED - 1;
}

const foldText = (text: string): string => foldWords(text.replaceAll(/\p{N}+/gu, ' '));

interface Pace {
  count: number;
  seconds: number;
  length: number;
}

/** Whether so many of the newest replies in a row were at least so long and came so soon. */
function repliesWithin(replies: Reply[], { count, seconds, length }: Pace): boolean {
  const newest = replies.slice(0, count);
  return (
    newest.length === count && newest.every((reply) => (reply.text ?? '').length >= length && reply.seconds <= seconds)
  );
}
