/** Makes one call to the gateway. The answer proves that the call was done or was refused, or leaves the outcome unknown. */
import type { NetworkError } from '../channel.ts';
import {
  explainBroken,
  leavesUnknown,
  makeRefusal,
  maskKey,
  MAX_SENTENCE,
  parseAnswer,
  type GatewayAnswer,
} from '../gateway.ts';
import { asText, type Json } from '../values.ts';
import type { OutboundResponse } from '../../platform/outside/outbound-answer.ts';
import type { OutboundForm } from '../../platform/outside/outbound-form.ts';
import type { Outbound, OutboundRequest } from '../../platform/outside/outbound.ts';
import type { OperatorsGateway } from './environment.ts';

export interface Network {
  gateway: OperatorsGateway | null;
  outbound: Outbound;
}

export interface GatewayCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The parts of the path behind `/api/v1`. */
  path: readonly string[];
  query?: Readonly<Record<string, string>>;
  /** A body of JSON, or a form. */
  body?: Json | OutboundForm;
  signal: AbortSignal;
}

/** A page of webhooks has some 100 kB. */
const MAX_ANSWER_BYTES = 512 * 1024;
export const NO_GATEWAY = 'This installation has no gateway to the network: its operator must set NETWORK_API_URL.';

/** The address of the gateway's server, without the path of its calls. */
export const readServer = ({ url }: Pick<OperatorsGateway, 'url'>): string => url.replace(/\/api\/v1\/?$/, '');

const isForm = (body: Json | OutboundForm): body is OutboundForm => 'contentType' in body && 'body' in body;

/** Returns the call as an HTTP request. */
export function toRequest(
  gateway: OperatorsGateway,
  { method, path, query = {}, body, signal }: GatewayCall,
): Omit<OutboundRequest, 'maxBytes'> {
  const search = new URLSearchParams(query).toString();
  const headers = { 'x-api-key': gateway.apiKey, accept: 'application/json' };
  const url = `${readServer(gateway)}/api/v1/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`;
  if (!body) return { method, url, headers, signal };
  return isForm(body)
    ? { method, url, headers: { ...headers, 'content-type': body.contentType }, body: body.body, signal }
    : { method, url, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body), signal };
}

export async function callGateway({ outbound, gateway }: Network, call: GatewayCall): Promise<GatewayAnswer> {
  if (!gateway) return makeRefusal('PROVIDER_REJECTED', NO_GATEWAY);
  try {
    const answer = await outbound.operator({ ...toRequest(gateway, call), maxBytes: MAX_ANSWER_BYTES });
    return maskKey(readOutcome(answer), gateway.apiKey);
  } catch (error) {
    // Failure policy: an error before the whole request was sent is a refusal; after any other error the outcome is unknown.
    return explainBroken(error);
  }
}

function readOutcome({ status, body }: OutboundResponse): GatewayAnswer {
  const answer = parseAnswer(body);
  // The network's limits show as 429 or as 500, and 500 also comes after a message has left.
  if (leavesUnknown(status)) return { outcome: 'unknown', reason: `The gateway answered ${status}.` };
  if (status >= 300) return { outcome: 'refused', error: readError(status, answer), network: answer !== null };
  if (!answer) return { outcome: 'unknown', reason: 'The answer is not one of the gateway.' };
  return { outcome: 'done', body: answer };
}

const cut = (value: unknown): string | null => asText(value)?.slice(0, MAX_SENTENCE).toWellFormed() || null;

function readError(status: number, answer: Json | null): NetworkError {
  const title = cut(answer?.title);
  const details = cut(answer?.detail) ?? '';
  const message = title ?? (details || `The gateway answered ${status} without a cause.`);
  return { code: cut(answer?.type) ?? status, title: title ?? 'Refused', message, details };
}

/** The errors by which the gateway says that the account has to log in again, or that it is gone. */
const LOGGED_OUT: readonly (number | string)[] = [
  401,
  'errors/disconnected_account',
  'errors/missing_credentials',
  'errors/invalid_credentials',
  'errors/expired_credentials',
  'errors/account_restricted',
];

export const refusesCredentials = (code: number | string): boolean => LOGGED_OUT.includes(code);

/** The errors by which the network says that the account sends too much. */
const TOO_MUCH: readonly (number | string)[] = [429, 'errors/too_many_requests', 'errors/limit_exceeded'];

export const isOverload = (code: number | string): boolean => TOO_MUCH.includes(code);
