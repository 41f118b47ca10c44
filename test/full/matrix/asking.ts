/** One request of the matrix and what is true of every answer, whoever asked for whatever. */
import type { Json, Platform } from '../../support/platform.ts';
import type { Caller } from './callers.ts';
import { companiesIn, type Side } from './companies.ts';
import { surplusFields, withValue, type Operation, type Place } from './document.ts';
import type { Entry } from './entry.ts';
import { formOf } from './forms.ts';
import { ENTRIES } from './operations.ts';

export interface Pair {
  platform: Platform;
  /** Who asks, and whose records nobody of `own` may see. */
  own: Side;
  other: Side;
}

export interface Account {
  asked: number;
  /** What broke the promise, in words. */
  faults: string[];
}

export interface Asking {
  operation: Operation;
  params: Record<string, string>;
  query: Record<string, string>;
  body: Json;
  /** What the answer may repeat because the caller said it; the answer is read with `*` in its place. */
  echoed?: string;
}

export interface Answer {
  status: number;
  text: string;
  body: Json;
  /** All of them but those that tell the time or count requests. */
  headers: string;
}

// What may differ between two answers to the same question. The request id is the caller's own, and so does not; the text is
// compared itself, and not its length.
const RESTLESS = /^(date|ratelimit.*|retry-after|content-length)$/;

export function entryOf(operation: Operation): Entry {
  const entry = ENTRIES[operation.name];
  if (!entry) throw new Error(`${operation.name} does not stand in the table of test/full/matrix/operations.ts`);
  return entry;
}

/** A request for `own`'s records that succeeds for those who may ask. */
export function validAsking(operation: Operation, own: Side): Asking {
  const entry = entryOf(operation);
  const named: Record<string, string | undefined> = entry.disposes
    ? { ...own.records, ...own.disposable }
    : own.records;
  const params = Object.entries(entry.path ?? {}).map(([name, kind]) => [name, named[kind]]);
  return {
    operation,
    params: Object.fromEntries(params) as Record<string, string>,
    query: {},
    body: entry.body?.(own),
  };
}

/** The same request with another text at this place. */
export function withText(asking: Asking, place: Place, text: string): Asking {
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
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  const { payload, type } = payloadOf(operation, body, raw);
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

/** The body as it travels. `raw`: JSON that no object can hold. */
function payloadOf(
  { form }: Operation,
  body: Json,
  raw: string | undefined,
): { payload: string | undefined; type: Record<string, string> } {
  if (!form)
    return {
      payload: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
      type: { 'content-type': 'application/json' },
    };
  const { raw: payload, headers } = formOf(raw === undefined ? body : JSON.parse(raw));
  return { payload, type: headers };
}

/** Every company is a global key's to see here. */
export const isByRight = (operation: Operation, { global, refusal }: Caller): boolean =>
  entryOf(operation).reachesAll === true && global === true && refusal === null;

/** Whatever was asked: nothing of the other company, a documented status, and no field that the document does not name. */
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
    // Failure policy: an answer that is not JSON has no fields; its status and text are judged all the same.
    return null;
  }
}

/** A success speaks of `own` alone. */
export function checkOwn({ own }: Pair, account: Account, what: string, answer: Answer): void {
  const strange = companiesIn(answer.body).find((company) => company !== own._id);
  if (strange) account.faults.push(`${what} shows a record of the company ${strange}`);
}

// When a key was last used changes by itself a moment after it was: the answers speak of own keys alone, and are the same.
const LAST_USED = /"last_used_at":"[^"]+"/g;

/** Two answers that nobody can tell apart. */
export function sameAnswer(a: Answer, b: Answer): boolean {
  const textOf = ({ text }: Answer): string => text.replaceAll(LAST_USED, '"last_used_at":null');
  return a.status === b.status && textOf(a) === textOf(b) && a.headers === b.headers;
}
