/**
 * Recognises contacts that are programs which answer by themselves: another help desk, an out-of-office notice, another agent. Two programs
 * would answer each other for ever. Mails that say so in their headers never reach an agent; this rule is for all others. It reads what is
 * stored, so it holds for every channel and agent, in any process, and counts follow-ups as well.
 */
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { foldWords } from '../answers/fold.ts';
import { countAutomatic, listReplies, type Exchange, type Reply } from './program-queries.ts';

// A person reads an answer, writes, and waits for AGENT_WAIT and for the model. One answer in 15 seconds for ten minutes without a pause
// is more than that, and two programs reach it in a few minutes.
const LATELY_SECONDS = 600;
const MOST_LATELY = 40;
// Programs that wait before they answer stay below that limit. A person who gets an answer every 90 seconds has talked for five hours then.
const MOST_TODAY = 200;
// A person who asks the same thing four times is not helped by a fifth answer either. Numbers do not count, because each notice of a
// help desk has another one. The replies between may differ, because some programs have several texts.
const MOST_REPEATED = 4;
// People say "no" and "thank you" again and again, also to all questions of a form. A shorter text is left to the limits above.
const LEAST_REPEATED = 16;
const REPLIES = 16;
// A contact may write several messages for each answer.
const MESSAGES_READ = 100;
// Nobody types 60 characters in three seconds: the best typists need five. A person may have begun before our answer came, but not five times
// in a row.
const QUICK_SECONDS = 3;
const LEAST_QUICK = 60;
const MOST_QUICK = 5;

/** Whether the contact of a conversation writes as only a program does. */
export async function isProgram(read: TenantRead, exchange: Exchange): Promise<boolean> {
  const limits = { seconds: LATELY_SECONDS, limit: MOST_TODAY };
  const { lately, today } = await countAutomatic(read, exchange, limits);
  if (lately >= MOST_LATELY || today >= MOST_TODAY) return true;
  const replies = await listReplies(read, exchange.conversation, { replies: REPLIES, messages: MESSAGES_READ });
  return repeatsItself(replies) || writesTooQuickly(replies);
}

/** Whether the newest reply was there several times already. */
function repeatsItself(replies: Reply[]): boolean {
  const [newest = '', ...earlier] = replies.map(({ text }) => foldText(text ?? ''));
  return newest.length >= LEAST_REPEATED && earlier.filter((text) => text === newest).length >= MOST_REPEATED - 1;
}

const foldText = (text: string): string => foldWords(text.replaceAll(/\p{N}+/gu, ' '));

function writesTooQuickly(replies: Reply[]): boolean {
  const newest = replies.slice(0, MOST_QUICK);
  return newest.length === MOST_QUICK && newest.every(isQuick);
}

const isQuick = ({ text, seconds }: Reply): boolean => (text ?? '').length >= LEAST_QUICK && seconds <= QUICK_SECONDS;
