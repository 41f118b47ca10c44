/** Sends one request of the matrix, and checks the rules that hold for every answer. */
import type { Json, Platform } from '../../support/platform.ts';
import type { Caller } from './callers.ts';
import { companiesIn, findId, type Side } from './companies.ts';
import { makeSample, surplusFields, textPlaces, withValue, type Operation, type Place } from './document.ts';
import { buildForm } from './forms.ts';
import { SAMPLES } from './samples.ts';

export interface Pair {
  platform: Platform;
  /** `own` sends the requests, and no answer may contain records of `other`. */
  own: Side;
  other: Side;
}

export interface Account {
  asked: number;
  /** Each way in which a promise was broken, as a sentence. */
  faults: string[];
}

export interface Asking {
  operation: Operation;
  params: Record<string, string>;
  query: Record<string, string>;
  body: Json;
  /** A text that the answer may repeat because the caller sent it; it is replaced by `*` in the answer. */
  echoed?: string;
}

export interface Answer {
  status: number;
  text: string;
  body: Json;
  /** All headers except those with times or counts. */
  headers: string;
}

// Headers that may differ between two answers to the same request. The request id is the caller's, and so always the same; of the text, the
// content is compared and not its length.
const RESTLESS = /^(date|ratelimit.*|retry-after|content-length)$/;

/** Prepares the data so that the next request succeeds, whatever the last one did: a record that it disposes of is created anew. */
export async function prepare(operation: Operation, platform: Platform, own: Side): Promise<void> {
  const { name, maker } = operation;
  const sample = SAMPLES[name];
  if (sample?.prepare) return sample.prepare(platform, own);
  if (!maker) return;
  const { params, body } = validAsking(maker, own);
  const made = await platform.call(201, 'POST', fillPath(maker, params), { key: own.key, body });
  own.fresh = Object.fromEntries(maker.answers.map((kind) => [kind, made.body._id]));
}

/** A request for `own`'s records that succeeds for callers who may send it. */
export function validAsking(operation: Operation, own: Side): Asking {
  const sample = SAMPLES[operation.name];
  const places = textPlaces(operation);
  const records = (where: Place['in']): Record<string, string> => {
    const named = places.filter((place) => place.in === where && place.isId && /^\w+$/.test(place.path));
    return Object.fromEntries(named.map((place) => [place.path, chooseRecord(operation, own, place)]));
  };
  const filled = operation.body && { ...makeSample(operation.body), ...records('body'), ...sample?.body?.(own) };
  return {
    operation,
    params: { ...records('path'), ...sample?.params?.(own) },
    query: {},
    body: filled ?? undefined,
  };
}

function chooseRecord({ disposes }: Operation, own: Side, { path, kinds: [kind = ''] }: Place): string {
  return (path === disposes ? own.fresh[kind] : undefined) ?? findId(own, kind);
}

export const fillPath = ({ path }: Operation, params: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** The request with another text at this place. */
export function withText(asking: Asking, place: Pick<Place, 'in' | 'path'>, text: string): Asking {
  if (place.in === 'path') return { ...asking, params: { ...asking.params, [place.path]: text } };
  if (place.in === 'query') return { ...asking, query: { ...asking.query, [place.path]: text } };
  return { ...asking, body: withValue(asking.body, place.path, text) };
}

export async function ask(
  { platform, other }: Pair,
  account: Account,
  { caller, asking, raw }: { caller: Caller; asking: Asking; raw?: string },
): Promise<Answer> {
  const { operation, params, query, body, echoed } = asking;
  const path = fillPath(operation, params);
  const search = new URLSearchParams(query).toString();
  const { payload, type } = buildPayload(operation, body, raw);
  const response = await fetch(`${platform.url}${path}${search && `?${search}`}`, {
    method: operation.method,
    headers: {
      'x-request-id': 'matrix',
      ...(payload === undefined ? {} : type),
      ...(caller.token === null ? {} : { authorization: `Bearer ${caller.token}` }),
      ...caller.headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  });
  const told = await response.text();
  const text = echoed ? told.replaceAll(echoed, '*') : told;
  const headers = [...response.headers].filter(([name]) => !RESTLESS.test(name));
  const answer = { status: response.status, text, body: parsed(text), headers: JSON.stringify(headers) };
  account.asked += 1;
  const unsaid = isByRight(operation, caller) ? [] : other.secrets;
  checkAlways(account, `${operation.name} for ${caller.name}`, { answer, operation, unsaid });
  return answer;
}

/** The body as it is sent. `raw` is JSON that no JavaScript object can represent. */
function buildPayload(
  { form }: Operation,
  body: Json,
  raw: string | undefined,
): { payload: string | undefined; type: Record<string, string> } {
  if (!form)
    return {
      payload: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
      type: { 'content-type': 'application/json' },
    };
  const { raw: payload, headers } = buildForm(raw === undefined ? body : JSON.parse(raw));
  return { payload, type: headers };
}

/** Whether a global key may see every company with this operation. */
export const reachesAll = ({ scope }: Operation): boolean => scope?.startsWith('companies:') === true;

/** True when the caller is a global key, which may see every company with this operation. */
export const isByRight = (operation: Operation, { global, refusal }: Caller): boolean =>
  reachesAll(operation) && global === true && refusal === null;

/** Checks every answer: it contains nothing of the other company, has a documented status, and has only documented fields. */
function checkAlways(
  account: Account,
  what: string,
  { answer, operation, unsaid }: { answer: Answer; operation: Operation; unsaid: string[] },
): void {
  const { status, text, headers, body } = answer;
  const told = unsaid.find((secret) => text.includes(secret) || headers.includes(secret));
  const surplus = surplusFields(status < 300 ? operation.answer : operation.problem, body);
  if (told) account.faults.push(`${what} tells ${told} of another company: ${text.slice(0, 300)}`);
  if (surplus.length > 0) account.faults.push(`${what} shows ${surplus.join()}, which no schema names`);
  if (!operation.statuses.includes(status) || status >= 500)
    account.faults.push(`${what} answers ${status}: ${text.slice(0, 300)}`);
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    // Failure policy: an answer that is not JSON has no fields; its status and text are still checked.
    return null;
  }
}

/** Checks that a successful answer contains records of `own` only. */
export function checkOwn({ own }: Pair, account: Account, what: string, answer: Answer): void {
  const strange = companiesIn(answer.body).find((company) => company !== own._id);
  if (strange) account.faults.push(`${what} shows a record of the company ${strange}`);
}

// The time of a key's last use changes shortly after each use, so it is ignored in comparisons; answers contain own keys only.
const LAST_USED = /"last_used_at":"[^"]+"/g;

/** True when no caller can tell the two answers apart. */
export function sameAnswer(a: Answer, b: Answer): boolean {
  const stableText = ({ text }: Answer): string => text.replaceAll(LAST_USED, '"last_used_at":null');
  return a.status === b.status && stableText(a) === stableText(b) && a.headers === b.headers;
}
