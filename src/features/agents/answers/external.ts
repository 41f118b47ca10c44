/** Has a server of the company answer: it gets the question as JSON and says what is to be sent. */
import { EndpointError, postJson } from '../../../ai/endpoint.ts';
import { stripReasoning } from '../../../ai/reasoning.ts';
import type { Kit } from '../../../kit.ts';
import { MAX_TEXT } from '../../messages/schemas.ts';
import type { LinkedFiles } from '../contents/links.ts';
import type { Agent } from '../schemas.ts';
import type { FoundAnswer, Question } from './answer.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

const MAX_BYTES = declareLimit(64 * 1024, {
  topic: 'Agents',
  what: "Answer: from an agent's own server",
  unit: 'bytes',
  beyond: 'the agent hands over',
});

/** Calls the server once. Throws an EndpointError. */
export async function answerByServer(
  kit: Kit,
  { _id, name, company, url }: Agent,
  { question, links, signal }: { question: Question; links: LinkedFiles; signal: AbortSignal },
): Promise<FoundAnswer> {
  const { before, asked, contact } = question;
  const lines = before.map(({ from, text, file }) => ({
    from,
    text,
    file: (file && links.get(file.attachment)) ?? null,
  }));
  const files = question.files.flatMap(({ attachment }) => links.get(attachment) ?? []);
  const body = { agent: { _id, name, company }, contact, before: lines, message: asked, files };
  const call = { server: 'server of the agent', url: url ?? '', apiKey: null, body, maxBytes: MAX_BYTES, signal };
  const { text, handoff } = readReply(await postJson(kit.outbound.tenant, { ...call, isForeign: true }));
  if (handoff) return { text: null, reason: 'ASKED_BY_AGENT' };
  // The server may pass on what a model writes.
  const said = stripReasoning(text);
  if (said !== '') return { text: said, reason: null };
  return { text: null, reason: text === '' ? 'NO_ANSWER' : 'ONLY_REASONING' };
}

function readReply(answer: unknown): { text: string; handoff: boolean } {
  const { text = '', handoff = false } = (answer ?? {}) as { text?: unknown; handoff?: unknown };
  if (typeof text !== 'string' || typeof handoff !== 'boolean')
    throw new EndpointError('The answer must be {"text": "…"} or {"handoff": true}.');
  if (text.length > MAX_TEXT) throw new EndpointError(`The text is longer than ${MAX_TEXT} characters.`);
  return { text: text.trim(), handoff };
}
