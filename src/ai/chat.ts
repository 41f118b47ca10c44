/**
 * Calls a model at an endpoint that understands the chat completions call of OpenAI. One call is one attempt: it is repeated
 * only if the model has refused the name of a parameter.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
import type { TSchema } from 'typebox';
import { parseJson } from '../platform/http/body.ts';
import { newId } from '../platform/values/ids.ts';
import type { Outbound } from '../platform/outside/outbound.ts';
import { EndpointError, postJson } from './endpoint.ts';
import { isHeadless, rememberHeadless, type AskedModel } from './headless.ts';
import { createModelMemory } from './model-memory.ts';
import { splitReasoning } from './reasoning.ts';
import { declareLimit } from '../platform/values/limits.ts';

export interface ChatEndpoint {
  /** The address before `/chat/completions`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
}

export type ChatMessage =
  | { role: 'system'; content: string }
  /** A text, with pictures that go with it. */
  | { role: 'user'; content: string; pictures?: Picture[] }
  /** What the model has written, and the functions that it has called. */
  | { role: 'assistant'; content: string | null; calls?: ChatCall[] }
  /** What a function has returned. */
  | { role: 'tool'; call: string; content: string };

/** A JPG. */
export interface Picture {
  base64: string;
}

/** A function that the model may call instead of answering. */
export interface ChatTool {
  name: string;
  description: string;
  /** The arguments, an object. */
  parameters: TSchema;
}

/** The model calls a function. Neither the name nor the arguments are checked. */
export interface ChatCall {
  /** The platform's own id, because those of models are not always unique. */
  id: string;
  name: string;
  /** Null when the model has written no JSON, or what no request may have: too deep, too long, a character that cannot be stored. */
  arguments: unknown;
}

export interface ChatRequest {
  messages: ChatMessage[];
  /** Servers refuse an empty list of functions, so it is left out. */
  tools: ChatTool[];
  /** How many tokens the answer may have. */
  maxTokens: number;
  /** The id of the company that asks. */
  company: string;
  signal: AbortSignal;
}

export interface ChatReply {
  /** The answer without the reasoning before it; null when the model has written none. */
  text: string | null;
  /** Whether the text ends before the model has written all of it. */
  isCut: boolean;
  /** Whether the model has written its reasoning, and no answer. */
  isOnlyReasoning: boolean;
  calls: ChatCall[];
  input_tokens: number | null;
  output_tokens: number | null;
}

/** A thousand tokens have some kilobytes of JSON; what is much longer is no answer. */
const MAX_BYTES = declareLimit(128 * 1024, {
  topic: 'Agents',
  what: "Answer: from the model's server",
  unit: 'bytes',
  beyond: 'the agent hands over',
});
const MAX_ARGUMENTS = 16 * 1024;
const MOST_TEXT = 16 * 1024;
/** No model reads or writes more tokens in a call. */
const MAX_COUNT = 10_000_000;

/** Throws an EndpointError. */
export async function askModel(
  outbound: Outbound,
  endpoint: ChatEndpoint,
  { messages, tools, maxTokens, company, signal }: ChatRequest,
): Promise<ChatReply> {
  const { baseUrl, apiKey, model } = endpoint;
  const offered = tools.length > 0 ? { tools: tools.map(describeTool) } : {};
  const said = { model, messages: messages.map(writeMessage), ...offered };
  const post = (limit: TokenLimit): Promise<unknown> => {
    const body = { ...said, [limit]: maxTokens };
    const call = { server: 'model', url: `${baseUrl}/chat/completions`, apiKey, body, maxBytes: MAX_BYTES, signal };
    return postJson(outbound.operator, call);
  };
  return readReply({ baseUrl, model, company }, await postWithLimit(endpoint, post));
}

/** The names of the limit of an answer. Servers of other makers know the first one alone, and newer models of OpenAI refuse it. */
type TokenLimit = 'max_tokens' | 'max_completion_tokens';

/** The models that refuse `max_tokens`. */
const newer = createModelMemory();

async function postWithLimit(
  { baseUrl, model }: ChatEndpoint,
  post: (limit: TokenLimit) => Promise<unknown>,
): Promise<unknown> {
  const key = JSON.stringify([baseUrl, model]);
  if (newer.knows(key)) return post('max_completion_tokens');
  try {
    return await post('max_tokens');
  } catch (error) {
    // Failure policy: a refused name is replaced once. Every other error is the caller's.
    if (!(error instanceof EndpointError && refusesMaxTokens(error))) throw error;
  }
  const answer = await post('max_completion_tokens');
  newer.remember(key);
  return answer;
}

/** Not every server names the parameter; all of them write the name that the model takes. */
const refusesMaxTokens = ({ refusal }: EndpointError): boolean =>
  refusal?.status === 400 && (refusal.param === 'max_tokens' || refusal.message.includes('max_completion_tokens'));

const describeTool = (tool: ChatTool) => ({ type: 'function', function: tool });

function writeMessage(message: ChatMessage) {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.call, content: message.content };
  if (message.role === 'user' && message.pictures) return writePictures(message.content, message.pictures);
  if (message.role !== 'assistant' || !message.calls) return message;
  const { role, content, calls } = message;
  return {
    role,
    content,
    tool_calls: calls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      // The model reads why what it wrote was refused; servers take a JSON object only.
      function: { name, arguments: JSON.stringify(given ?? {}) },
    })),
  };
}

const writePictures = (text: string, pictures: Picture[]) => ({
  role: 'user',
  content: [
    { type: 'text', text },
    ...pictures.map(({ base64 }) => ({ type: 'image_url', image_url: { url: `data:image/jpeg;base64,${base64}` } })),
  ],
});

interface RawMessage {
  content?: unknown;
  tool_calls?: unknown;
  /** What the model has thought, by the names that servers give it. It is never part of the answer. */
  reasoning_content?: unknown;
  reasoning?: unknown;
}

/** Why a model has not written all of its answer, by the words of servers: no tokens are left, or a filter has stepped in. */
const CUTS = new Set<unknown>(['length', 'max_tokens', 'model_length', 'content_filter']);

/** The answer of the endpoint, as far as it is read. Nothing of it is certain. */
interface RawReply {
  choices?: { message?: RawMessage | null; finish_reason?: unknown }[] | null;
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
}

function readReply(model: AskedModel, answer: unknown): ChatReply {
  const { choices, usage } = (answer ?? {}) as RawReply;
  const choice = Array.isArray(choices) ? choices[0] : null;
  const message = choice?.message;
  if (!message) throw new EndpointError('The answer of the model cannot be understood.');
  const { tool_calls } = message;
  const isCut = CUTS.has(choice.finish_reason);
  return {
    ...readText(model, message, isCut),
    isCut,
    calls: Array.isArray(tool_calls) ? tool_calls.flatMap(readCall) : [],
    input_tokens: readCount(usage?.prompt_tokens),
    output_tokens: readCount(usage?.completion_tokens),
  };
}

function readText(
  model: AskedModel,
  { content, reasoning_content, reasoning }: RawMessage,
  isCut: boolean,
): Pick<ChatReply, 'text' | 'isOnlyReasoning'> {
  const written = joinTexts(content).trim();
  const hasThoughts =
    listParts(content, 'thinking').length > 0 ||
    [reasoning_content, reasoning].some((thought) => typeof thought === 'string' && thought.trim() !== '');
  const split = splitReasoning(written, { isCut });
  if (split.isHeadless) rememberHeadless(model);
  // The reasoning of such a model has a closing tag only. Where the server has taken the reasoning out, the text is the answer.
  const isCutReasoning = isCut && !split.isClosed && !hasThoughts && isHeadless(model);
  const text = isCutReasoning ? '' : split.said.slice(0, MOST_TEXT).trim();
  if (text !== '') return { text, isOnlyReasoning: false };
  return { text: null, isOnlyReasoning: written !== '' || hasThoughts };
}

interface Part {
  type?: unknown;
  text?: unknown;
}

/** Some servers write a list of parts: those of the type `text` are the answer, and those of the type `thinking` what the model has thought. */
const listParts = (content: unknown, type: 'text' | 'thinking'): Part[] =>
  Array.isArray(content) ? (content as (Part | null)[]).filter((part): part is Part => part?.type === type) : [];

function joinTexts(content: unknown): string {
  if (typeof content === 'string') return content;
  return listParts(content, 'text')
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

const MOST_NAME = 64;

function readCall(call: { function?: { name?: unknown; arguments?: unknown } } | null): ChatCall[] {
  const { name, arguments: given } = call?.function ?? {};
  return typeof name === 'string'
    ? [
        {
          id: newId(),
          name: name.replaceAll('\0', '').slice(0, MOST_NAME).toWellFormed(),
          arguments: parseArguments(given),
        },
      ]
    : [];
}

function parseArguments(given: unknown): unknown {
  // Some models write nothing for a function without arguments, and some servers write the object itself.
  const text = typeof given === 'string' ? given.trim() || '{}' : JSON.stringify(given ?? {});
  if (text.length > MAX_ARGUMENTS) return null;
  try {
    return parseJson(Buffer.from(text));
  } catch {
    // Failure policy: the function refuses arguments that a request could not have either, and the model reads that they do not fit.
    return null;
  }
}

const readCount = (count: unknown): number | null =>
  Number.isInteger(count) && Number(count) >= 0 && Number(count) <= MAX_COUNT ? Number(count) : null;
