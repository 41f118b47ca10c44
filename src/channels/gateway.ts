/** What calls to a gateway end in, for channels that reach their network through a server of someone else. */
import type { NetworkError } from './channel.ts';
import { asRecord, type Json } from './values.ts';
import { parseForeignJson, TooManyParts } from '../platform/outside/foreign-json.ts';
import { OutboundError } from '../platform/outside/outbound-error.ts';

/** The outcome of a call. refused: the call certainly had no effect. `network` is true when the gateway itself named the cause. */
export type GatewayAnswer =
  | { outcome: 'done'; body: Json }
  | { outcome: 'refused'; error: NetworkError; network: boolean }
  | { outcome: 'unknown'; reason: string };

export type FailedCall = Exclude<GatewayAnswer, { outcome: 'done' }>;

/** The HTTP status 408: a proxy stopped waiting, perhaps after it had forwarded the request, so the outcome is unknown. */
const REQUEST_TIMEOUT = 408;
/** The longest words of a gateway that are shown. */
export const MAX_SENTENCE = 500;

/** True for an answer that leaves open whether the call had an effect. */
export const leavesUnknown = (status: number): boolean => status >= 500 || status === REQUEST_TIMEOUT;

export const makeRefusal = (code: string, message: string): Extract<GatewayAnswer, { outcome: 'refused' }> => ({
  outcome: 'refused',
  error: { code, title: 'Not sent', message, details: '' },
  network: false,
});

/** The outcome of a call that ended with an error: before the whole request was sent it is a refusal, and unknown otherwise. */
export function explainBroken(error: unknown): FailedCall {
  if (error instanceof OutboundError && (!error.sent || error.kind === 'BODY'))
    return makeRefusal('PROVIDER_UNREACHABLE', error.message);
  const hasAnswered = error instanceof TooManyParts;
  const reason = hasAnswered ? 'The answer of the gateway has too many parts.' : 'The gateway gave no answer.';
  return { outcome: 'unknown', reason };
}

/** Parses the body of an answer, a list as the object `{ list }`. Throws TooManyParts. */
export function parseAnswer(body: Buffer): Json | null {
  try {
    const answer = parseForeignJson(body);
    return Array.isArray(answer) ? { list: answer } : asRecord(answer);
  } catch (error) {
    // Failure policy: for a body that is not JSON the HTTP status alone decides.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Masks the key, because an answer may repeat what it was sent. */
export function maskKey(answer: GatewayAnswer, key: string): GatewayAnswer {
  if (answer.outcome === 'done') return answer;
  if (answer.outcome === 'unknown') return { ...answer, reason: answer.reason.replaceAll(key, '••••') };
  const { title, message, details } = answer.error;
  const mask = (words: string): string => words.replaceAll(key, '••••');
  const error = { ...answer.error, title: mask(title), message: mask(message), details: mask(details) };
  return { ...answer, error };
}

/** Returns one sentence that explains to people why a call failed. */
export function describeFailure(answer: FailedCall): string {
  if (answer.outcome === 'unknown') return answer.reason;
  const { code, message } = answer.error;
  return answer.network ? `The gateway rejected it: ${message} (code ${code}).` : message;
}
