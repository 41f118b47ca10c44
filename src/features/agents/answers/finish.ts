/**
 * Makes of what a model has written what a contact reads: only whole sentences, in the marks of the network, and without the links that the
 * platform does not know. This holds for an answer and for what is sent later.
 */
import type { ChatReply } from '../../../ai/chat.ts';
import { MAX_TEXT } from '../../messages/schemas.ts';
import type { Scene } from '../tools/tool.ts';
import type { FoundAnswer } from './answer.ts';
import { cutMarkdown } from './cut.ts';
import { keepKnownLinks, listKnownLinks } from './links.ts';
import { findMarks, toPlainText, type Writing } from './plain-text.ts';
import { endAtSentence } from './sentences.ts';

/**
 * `reply` is the last one of the model. Calls in it are not run any more. With `isVersion` it is another version of a text, which has the marks
 * of that text already, and is of no use without its end.
 */
export function finishAnswer(
  scene: Scene,
  { text, calls, isCut, isOnlyReasoning }: ChatReply,
  isVersion = false,
): FoundAnswer {
  if (text === null) {
    if (calls.length > 0) return { text: null, reason: 'BUDGET_SPENT' };
    return { text: null, reason: isOnlyReasoning ? 'ONLY_REASONING' : 'NO_ANSWER' };
  }
  const { plan } = scene;
  const write = openWriter(scene, isVersion);
  const later = plan.followUp && write(plan.followUp.content, false);
  plan.followUp = plan.followUp && later ? { ...plan.followUp, content: later } : null;
  const answer = write(text, isCut);
  return answer === null ? { text: null, reason: 'ANSWER_CUT' } : { text: answer, reason: null };
}

/** Returns a function that writes a text for the contact; null for one that was cut off before its first sentence ended. */
function openWriter(
  { kit, agent, conversation, read }: Scene,
  isVersion: boolean,
): (written: string, isCut: boolean) => string | null {
  const sources = [agent.instructions ?? '', ...read.passages.map(({ content }) => content), ...read.texts];
  const known = listKnownLinks(sources);
  const keepsLink = (address: string): boolean => keepKnownLinks(address, known) === address;
  const writing: Writing = { marks: findMarks(kit, conversation), keepsLink };
  return (written, isCut) => {
    const text = written.replaceAll('\0', '');
    if (isVersion) return isCut || isTooLong(text) ? null : keepKnownLinks(text, known);
    // A text that is longer than a message, or was cut off, ends at a sentence.
    const whole = isCut || isTooLong(text) ? cutMarkdown(text.slice(0, MAX_TEXT)) : text;
    if (whole === null) return null;
    // Links are looked for in the text as it is sent, because a mark within an address hides it.
    const answer = keepKnownLinks(toPlainText(whole, writing), known);
    return isTooLong(answer) ? endAtSentence(answer.slice(0, MAX_TEXT)) : answer;
  };
}

const isTooLong = (text: string): boolean => text.length > MAX_TEXT;
