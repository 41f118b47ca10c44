/** Makes one call to the gateway. The answer proves that the call was done or was refused, or leaves the outcome unknown. */
import type { NetworkAccess, NetworkError } from '../channel.ts';
import {
  explainBroken,
  leavesUnknown,
  makeRefusal,
  maskKey,
  MAX_SENTENCE,
  parseAnswer,
  type GatewayAnswer,
} from '../gateway.ts';
import type { Overload } from '../limits.ts';
import { asRecord, asText, type Json } from '../values.ts';
import type { OutboundResponse } from '../../platform/outside/outbound-answer.ts';
import type { StreamedBody } from '../../platform/outside/outbound-stream.ts';
import type { OutboundRequest } from '../../platform/outside/outbound.ts';
import { readBase, type PartnerApiConfig } from './settings.ts';

export interface GatewayCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** The path before the name of the instance, such as `message/sendText`. */
  path: string;
  /** A body of JSON, or a stream of JSON for one that has a file in it. */
  body?: Json | StreamedBody;
  /** In the place of the name of the instance at the end of the path. */
  query?: Record<string, string>;
  /** The largest answer, where it is not that to a send. */
  maxBytes?: number;
  config: PartnerApiConfig;
  signal: AbortSignal;
}

/** A QR code as a picture has some 20 kB. The answer to a send may repeat the whole file, but its first property is all that is needed. */
const MAX_ANSWER_BYTES = 256 * 1024;
/** The first property of the answer to a send, which identifies the message. */
const ANSWERED_KEY = /^\s*\{\s*"key"\s*:\s*(\{[^{}]*\})/;
/**
 * The words of an error that the gateway met at any moment of a send, perhaps after it had sent the message: it answers 400 to each of them. Its
 * refusals before that moment are plain sentences.
 */
const CAUGHT_ERROR = /^(?:\w*Error\b|Timed Out|\[object )/;
/** The error of an instance without a connection to its phone. Nothing was sent. */
const CONNECTION_CLOSED = /Connection Closed/;
const BAD_REQUEST = 400;
/** The characters that a header can hold. */
const USABLE_KEY = /^[!-~]+$/;

/** Returns the call as an HTTP request; null when the key cannot be sent. */
export function toRequest({
  method,
  path,
  body,
  query,
  config,
  signal,
}: GatewayCall): Omit<OutboundRequest, 'maxBytes'> | null {
  if (!USABLE_KEY.test(config.api_key)) return null;
  const isStream = body !== undefined && 'stream' in body;
  const named = query ? `?${new URLSearchParams(query).toString()}` : `/${encodeURIComponent(config.instance_name)}`;
  return {
    method,
    url: `${readBase(config.base_url)}/${path}${named}`,
    headers: {
      apikey: config.api_key,
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: isStream ? (body as StreamedBody) : JSON.stringify(body) }),
    signal,
  };
}

export async function callGateway(
  { outbound }: Pick<NetworkAccess, 'outbound'>,
  call: GatewayCall,
): Promise<GatewayAnswer> {
  const request = toRequest(call);
  if (!request) return makeRefusal('PROVIDER_REJECTED', 'The api_key has characters that no key has.');
  try {
    const { maxBytes = MAX_ANSWER_BYTES, config } = call;
    return maskKey(readOutcome(await outbound.tenant({ ...request, maxBytes })), config.api_key);
  } catch (error) {
    // Failure policy: an error before the whole request was sent is a refusal; after any other error the outcome is unknown.
    return explainBroken(error);
  }
}

function readOutcome({ status, body, truncated }: OutboundResponse): GatewayAnswer {
  const answer = truncated ? parseHead(body) : parseAnswer(body);
  if (leavesUnknown(status)) return { outcome: 'unknown', reason: `The gateway answered ${status}.` };
  if (status >= 300) {
    const error = readError(status, answer);
    if (status === BAD_REQUEST && CAUGHT_ERROR.test(error.message) && !CONNECTION_CLOSED.test(error.message))
      return { outcome: 'unknown', reason: `The gateway reported an error: ${error.message}` };
    return { outcome: 'refused', error, network: answer !== null };
  }
  if (!answer) return { outcome: 'unknown', reason: 'The answer is not one of the gateway.' };
  return { outcome: 'done', body: answer };
}

/** Reads the key of the message from the beginning of an answer that did not arrive as a whole. */
function parseHead(body: Buffer): Json | null {
  const [, key] = ANSWERED_KEY.exec(body.toString('utf8')) ?? [];
  const parsed = key === undefined ? null : parseAnswer(Buffer.from(key));
  return parsed && { key: parsed };
}

function readError(status: number, answer: Json | null): NetworkError {
  const words = listWords(asRecord(answer?.response)?.message ?? answer?.message);
  return {
    code: status,
    title: asText(answer?.error)?.slice(0, MAX_SENTENCE) ?? 'Refused',
    message:
      words.join(', ').slice(0, MAX_SENTENCE).toWellFormed() || `The gateway answered ${status} without a cause.`,
    details: '',
  };
}

/** The deepest list of words that is read; the gateway puts them into a list within a list. */
const MAX_LISTS = 3;

/** Returns the words of a refusal, which come as text, in lists of lists, or as the numbers that the network does not know. */
function listWords(message: unknown, depth = 0): string[] {
  if (Array.isArray(message)) return depth < MAX_LISTS ? message.flatMap((each) => listWords(each, depth + 1)) : [];
  const unknown = asRecord(message);
  if (unknown?.exists === false) return [`The number ${asText(unknown.number) ?? ''} is not on WhatsApp`];
  const words = asText(message);
  return words === null ? [] : [words];
}

/** The HTTP status by which the gateway refuses the key, and the one for an instance that it does not have. */
const REFUSED_KEY: readonly (number | string)[] = [401, 403, 404];

/** The codes by which the Cloud API behind an instance wants fewer messages: from its number, or to this person. */
const OVERLOADS = new Map<number | string, Overload>([
  [130_429, 'number'],
  [131_056, 'pair'],
]);

export const findOverload = (code: number | string): Overload | null => OVERLOADS.get(code) ?? null;

export const refusesCredentials = (code: number | string): boolean => REFUSED_KEY.includes(code);
