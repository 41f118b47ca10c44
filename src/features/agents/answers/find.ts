/** Finds what an agent answers. Nothing is sent and nothing is stored here. */
import { EndpointError } from '../../../ai/endpoint.ts';
import { makePlan, type Scene } from '../tools/tool.ts';
import { readContents } from '../contents/contents.ts';
import { linkFiles } from '../contents/links.ts';
import type { Answer, FoundAnswer, Question } from './answer.ts';
import { foldWords } from './fold.ts';
import { findCost, startNotes } from './notes.ts';
import { answerByServer } from './external.ts';
import { answerByModel } from './model.ts';
import { answerFromPassages, toReadPassage } from './passages.ts';
import { toSendableText } from './plain-text.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// A model may take this long.
const ANSWER_MS = declareLimit(30_000, {
  topic: 'Agents',
  what: 'Answer: time',
  unit: 'ms',
  beyond: 'the agent hands over',
});

type Asked = Pick<Scene, 'kit' | 'acting' | 'agent' | 'conversation'>;

/** `signal` ends the work with an error. A model or server that fails is not asked again: a person takes over. */
export const findAnswer = (
  asked: Asked,
  { question, signal }: { question: Question; signal: AbortSignal },
): Promise<Answer> => workOut(asked, signal, (scene, limited) => chooseAnswer(scene, { question, signal: limited }));

/** Gives `find` the time of an answer, and says what it has found, and with which work. */
export async function workOut(
  asked: Asked,
  signal: AbortSignal,
  find: (scene: Scene, signal: AbortSignal) => Promise<FoundAnswer>,
): Promise<Answer> {
  const { kit, agent } = asked;
  const startedMs = performance.now();
  const limited = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  const scene: Scene = { ...asked, plan: makePlan(), read: { passages: [], texts: [] }, notes: startNotes() };
  const answer = await find(scene, limited).catch((error: unknown) => {
    if (signal.aborted || !(error instanceof EndpointError)) throw error;
    kit.log.warn({ err: error, agent: agent._id }, 'agents: the model or server gave no answer');
    return { text: null, reason: 'ANSWER_FAILED' as const };
  });
  const passages = scene.read.passages.map(toReadPassage);
  const cost = findCost(scene.notes, agent.prices);
  const work = { ...scene.notes, passages, cost, latency_ms: Math.round(performance.now() - startedMs) };
  const text = answer.text === null ? null : toSendableText(answer.text);
  const { plan } = scene;
  return text === '' ? { text: null, reason: 'NO_ANSWER', work, plan } : { ...answer, text, work, plan };
}

async function chooseAnswer(scene: Scene, asking: { question: Question; signal: AbortSignal }): Promise<FoundAnswer> {
  const { kit, agent } = scene;
  const { enabled, keywords } = agent.handoff;
  const asksForPerson = ({ asked }: Question): boolean => enabled && hasKeyword(asked, keywords);
  if (asksForPerson(asking.question)) return { text: null, reason: 'KEYWORD' };
  if (agent.type === 'EXTERNAL')
    return answerByServer(kit, agent, { ...asking, links: await linkFiles(scene, asking) });
  const endpoint = kit.config.chat;
  if (!endpoint) return answerFromPassages(scene, asking.question);
  const { question, contents } = await readContents(scene, endpoint, asking);
  // What is said in a voice note counts like what is written.
  if (asksForPerson(question)) return { text: null, reason: 'KEYWORD' };
  return answerByModel(scene, endpoint, { question, contents, signal: asking.signal });
}

/** True when the text has one of these words or phrases, in any case and with or without accents. */
function hasKeyword(text: string, keywords: string[]): boolean {
  const words = ` ${foldWords(text)} `;
  return keywords.some((keyword) => {
    const folded = foldWords(keyword);
    return folded !== '' && words.includes(` ${folded} `);
  });
}
