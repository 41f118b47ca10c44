/** Makes one call to the Graph API. The answer proves that the call was done or was refused, or leaves the outcome unknown. */
import { createHmac } from 'node:crypto';
import type { NetworkError } from '../channel.ts';
import type { OutboundResponse } from '../../platform/outside/outbound-answer.ts';
import { OutboundError } from '../../platform/outside/outbound-error.ts';
import type { OutboundForm } from '../../platform/outside/outbound-form.ts';
import type { Outbound, OutboundRequest } from '../../platform/outside/outbound.ts';
import { networkError } from './errors.ts';
import { asRecord, type Json } from '../values.ts';

/** What all calls to the network share. */
export interface GraphAccess {
  graphUrl: string;
  appSecret: string | null;
  outbound: Outbound;
}

export interface GraphCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** The segments of the path after the version; each segment is escaped. */
  path: readonly string[];
  query?: Record<string, string>;
  body?: Json;
  /** A form in the place of `body`, for files. */
  form?: OutboundForm;
  token: string | null | undefined;
  signal: AbortSignal;
  /** The largest answer that is read, for calls that answer more than a few ids. */
  maxBytes?: number;
}

/** The outcome of a call. refused: the call certainly had no effect. `network` is true when the network itself named the cause. */
export type GraphAnswer =
  | { outcome: 'done'; body: Json }
  | { outcome: 'refused'; error: NetworkError; network: boolean }
  | { outcome: 'unknown'; reason: string };

export type FailedCall = Exclude<GraphAnswer, { outcome: 'done' }>;

export type Graph = (call: GraphCall) => Promise<GraphAnswer>;

/**
 * The Graph API version that the documentation of the network used when this was written; a WAP_GRAPH_URL that names a version overrides
 * it.
 */
const DEFAULT_VERSION = 'v26.0';
export const PUBLIC_GRAPH = 'https://graph.facebook.com';
/** Most answers that this channel uses are below 2 kB; a much larger answer does not come from the Graph API. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** The longest error message that is shown; the messages of the network are below 300 characters. */
const MAX_SENTENCE = 500;
/** The characters that an authorization header can hold; a value with other characters cannot be a token. */
const TOKEN = /^[!-~]+$/;
export const NO_TOKEN = 'The inbox has no usable business_token.';
/** The HTTP status 408: a proxy stopped waiting, perhaps after it had forwarded the request, so the outcome is unknown. */
const REQUEST_TIMEOUT = 408;

/** Returns the Graph API URL with a version. Throws when `graphUrl` is not a URL, so that a process with such a setting does not start. */
function addVersion(graphUrl: string): string {
  const base = new URL(graphUrl).href.replace(/\/+$/, '');
  return /\/v\d+(\.\d+)?$/.test(base) ? base : `${base}/${DEFAULT_VERSION}`;
}

export function isUsableToken(token: string | null | undefined): token is string {
  return typeof token === 'string' && TOKEN.test(token);
}

/**
 * Creates the function that calls the Graph API. With an app secret, every call proves that the token is used by its own app
 * (appsecret_proof).
 */
export function createGraph(network: GraphAccess): Graph {
  const base = addVersion(network.graphUrl);
  return async (call) => {
    const { token } = call;
    if (!isUsableToken(token)) {
      call.form?.body.stream.destroy();
      return makeRefusal('PROVIDER_REJECTED', NO_TOKEN);
    }
    const proof = network.appSecret ? createHmac('sha256', network.appSecret).update(token).digest('hex') : null;
    const query = new URLSearchParams({ ...call.query, ...(proof && { appsecret_proof: proof }) });
    const path = call.path.map(encodeURIComponent).join('/');
    const request: OutboundRequest = {
      method: call.method,
      url: `${base}/${path}${query.size > 0 ? `?${query.toString()}` : ''}`,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      signal: call.signal,
      maxBytes: call.maxBytes ?? MAX_ANSWER_BYTES,
    };
    if (call.body) {
      request.body = JSON.stringify(call.body);
      request.headers = { ...request.headers, 'content-type': 'application/json' };
    } else if (call.form) {
      request.body = call.form.body;
      request.headers = { ...request.headers, 'content-type': call.form.contentType };
    }
    return maskSecrets(await callNetwork(network.outbound, request), proof === null ? [token] : [token, proof]);
  };
}

async function callNetwork(outbound: Outbound, request: OutboundRequest): Promise<GraphAnswer> {
  try {
    return readOutcome(await outbound.operator(request));
  } catch (error) {
    // Failure policy: an error before anything was sent is a refusal; after any other error the outcome is unknown.
    if (error instanceof OutboundError && !error.sent) return makeRefusal('PROVIDER_UNREACHABLE', error.message);
    return { outcome: 'unknown', reason: 'The network gave no answer.' };
  }
}

function makeRefusal(code: string, message: string): GraphAnswer {
  return { outcome: 'refused', error: { code, title: '', message, details: '' }, network: false };
}

/**
 * Determines the outcome of a call from its HTTP answer. The error in the body counts more than the HTTP status: the network answers most
 * refusals with 400, some with 200 or 5xx.
 */
function readOutcome({ status, body, truncated }: OutboundResponse): GraphAnswer {
  const answer = truncated ? null : parseBody(body);
  const cause = asRecord(answer?.error);
  if (cause) {
    const error = networkError(cause);
    // After a 5xx error without a code the outcome is unknown, because the network may have sent the message.
    if (status < 500 || typeof error.code === 'number') return { outcome: 'refused', error, network: true };
  }
  if (status >= 500 || status === REQUEST_TIMEOUT)
    return { outcome: 'unknown', reason: `The network answered ${status}.` };
  if (status >= 300) return makeRefusal('PROVIDER_REJECTED', `The network answered ${status} without a cause.`);
  if (!answer || cause) return { outcome: 'unknown', reason: 'The answer is not one of the Graph API.' };
  return { outcome: 'done', body: answer };
}

/** Parses the body of an answer. Failure policy: for a body that is not JSON the HTTP status alone decides. */
function parseBody(body: Buffer): Json | null {
  try {
    return asRecord(JSON.parse(body.toString('utf8')));
  } catch {
    return null;
  }
}

/**
 * Masks the secrets in an error message, because the network quotes a malformed token, and a token must not reach a record, a log or a
 * screen.
 */
function maskSecrets(answer: GraphAnswer, secrets: string[]): GraphAnswer {
  if (answer.outcome !== 'refused') return answer;
  const mask = (words: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '••••'), words);
  const { code, title, message, details } = answer.error;
  const error = {
    code: typeof code === 'string' ? mask(code) : code,
    title: mask(title),
    message: mask(message),
    details: mask(details),
  };
  return { ...answer, error };
}

/** Returns one sentence that explains to people why a call failed. */
export function describeFailure(answer: FailedCall): string {
  if (answer.outcome === 'unknown') return answer.reason;
  const { code, message, details } = answer.error;
  if (!answer.network) return message;
  const words = [message, details]
    .filter((part) => part !== '')
    .join(' – ')
    .slice(0, MAX_SENTENCE);
  return `The network rejected it: ${words || 'no cause given'} (code ${code}).`;
}
