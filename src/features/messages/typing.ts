/** Shows to a contact that someone writes an answer. */
import type { Kit } from '../../kit.ts';
import { reservePairOnce } from '../../platform/work/pacing.ts';
import { sendTypingMark } from '../conversations/read-marks.ts';
import { findBlock } from './blocks.ts';
import { findSendTarget } from './queries.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// The network shows it for 25 seconds, or until the next message; after a message someone may begin the next one.
const PAUSE_SECONDS = declareLimit(10, {
  topic: 'Messages',
  what: 'Typing indicator: pause before the next one, per contact',
  unit: 'seconds',
  beyond: 'left out',
});

/** Calls the network, unless it was called a moment ago, or the platform would not send a text in this conversation now. */
export async function showTyping(
  kit: Kit,
  { company, conversation }: { company: string; conversation: string },
  signal: AbortSignal,
): Promise<void> {
  const pace = { lane: 'typing', person: conversation, seconds: PAUSE_SECONDS };
  if (!(await kit.database.tenantTx(company, (tx) => reservePairOnce(tx, pace)))) return;
  const target = await findSendTarget(kit.database.read(company), conversation, kit.channels.identityPlaces);
  if (!target || findBlock(target, kit.channels.get(target.channel), { contentType: 'TEXT', content: null })) return;
  await sendTypingMark(kit, { company, conversation }, signal);
}
