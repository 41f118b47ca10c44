/** Sends one request of the matrix, and checks the rules that hold for every answer. */
import { readAnswerText } from '../../support/answer-text.ts';
import type { Json, Platform } from '../../support/platform.ts';
import type { Caller } from './callers.ts';
import { listNamedCompanies, findId, type FullCompany } from './companies.ts';
import {
  makeSample,
  listSurplusFields,
  listTextPlaces,
  withValueAt,
  type Operation,
  type TextPlace,
} from './document.ts';
import { buildForm } from './forms.ts';
import { SAMPLES } from './samples.ts';

export interface CompanyPair {
  platform: Platform;
  /** The company `own` sends the requests, and no answer may contain records of the company `other`. */
  own: FullCompany;
  other: FullCompany;
}

export interface Findings {
  asked: number;
  /** The ways in which a promise was broken, each as a sentence. */
  faults: string[];
}

export interface MatrixRequest {
  operation: Operation;
  params: Record<string, string>;
  query: Record<string, string>;
  body: Json;
  headers?: Record<string, string>;
  /** Values of the body for a text below a path: see Sample. */
  at?: Record<string, Json>;
  /** A text that the answer may repeat because the caller sent it. It is replaced by `*` before answers are compared. */
  echoed?: string | readonly string[];
}

export interface MatrixAnswer {
  status: number;
  text: string;
  body: Json;
  /** All headers except those with times or counts. */
  headers: string;
}

// Headers that may differ between two answers to the same request. The request id is always the same, because the caller chooses it. The
// content of the text is compared, so its length is not.
const RESTLESS = /^(date|ratelimit.*|retry-after|content-length)$/;

/** Prepares the data so that the next request succeeds, whatever the last one did: a record that the last request removed is created anew. */
export async function prepareRecords(operation: Operation, platform: Platform, own: FullCompany): Promise<void> {
  const { name, maker } = operation;
  const sample = SAMPLES[name];
  if (sample?.prepare) return sample.prepare(platform, own);
  if (!maker) return;
  const { params, body } = buildValidRequest(maker, own);
  const made = await platform.call(201, 'POST', fillPath(maker, params), { key: own.key, body });
  own.fresh = Object.fromEntries(maker.answers.map((kind) => [kind, made.body._id]));
}

/** Builds a request for records of `own` that succeeds for every caller who may send it. */
export function buildValidRequest(operation: Operation, own: FullCompany): MatrixRequest {
  const sample = SAMPLES[operation.name];
  const places = listTextPlaces(operation);
  const records = (where: TextPlace['in']): Record<string, string> => {
    const named = places.filter((place) => place.in === where && place.isId && /^\w+$/.test(place.path));
    return Object.fromEntries(named.map((place) => [place.path, chooseRecord(operation, own, place)]));
  };
  const filled = operation.body && { ...makeSample(operation.body), ...records('body'), ...sample?.body?.(own) };
  return {
    operation,
    params: { ...records('path'), ...sample?.params?.(own) },
    query: {},
    body: filled ?? undefined,
    headers: sample?.headers?.(own) ?? {},
    ...(sample?.at && { at: sample.at(own) }),
  };
}

function chooseRecord({ disposes }: Operation, own: FullCompany, { path, kinds: [kind = ''] }: TextPlace): string {
  return (path === disposes ? own.fresh[kind] : undefined) ?? findId(own, kind);
}

export const fillPath = ({ path }: Operation, params: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** Returns the request with another text at this place, and without what is not allowed with it. */
export function withTextAt(asking: MatrixRequest, place: Pick<TextPlace, 'in' | 'path'>, text: string): MatrixRequest {
  if (place.in === 'path') return { ...asking, params: { ...asking.params, [place.path]: text } };
  if (place.in === 'query') return { ...asking, query: { ...asking.query, [place.path]: text } };
  const [property = ''] = place.path.split(/[.[]/);
  const excluded = SAMPLES[asking.operation.name]?.excludes?.[property] ?? [];
  const body = Object.fromEntries(Object.entries(asking.body).filter(([name]) => !excluded.includes(name)));
  const [, values] = Object.entries(asking.at ?? {}).find(([path]) => place.path.startsWith(path)) ?? [];
  return { ...asking, body: withValueAt({ ...body, ...values }, place.path, text) };
}

export async function sendAndCheck(
  { platform, other }: CompanyPair,
  account: Findings,
  { caller, asking, raw }: { caller: Caller; asking: MatrixRequest; raw?: string },
): Promise<MatrixAnswer> {
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
      ...asking.headers,
      ...caller.headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  });
  const told = await readAnswerText(response.headers.get('content-type'), response.body);
  const text = [echoed || []].flat().reduce((shown, part) => shown.replaceAll(part, '*'), told);
  const headers = [...response.headers].filter(([name]) => !RESTLESS.test(name));
  const answer = { status: response.status, text, body: tryParseJson(text), headers: JSON.stringify(headers) };
  account.asked += 1;
  const unsaid = mayReachAllCompanies(operation, caller) ? [] : other.secrets;
  checkEveryAnswer(account, `${operation.name} for ${caller.name}`, { answer, operation, unsaid });
  return answer;
}

/** Formats the body as it is sent. `raw` is JSON that no JavaScript object can represent. */
function buildPayload(
  { form }: Operation,
  body: Json,
  raw: string | undefined,
): { payload: string | Buffer<ArrayBuffer> | undefined; type: Record<string, string> } {
  if (!form)
    return {
      payload: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
      type: { 'content-type': 'application/json' },
    };
  const { raw: payload, headers } = buildForm(raw === undefined ? body : JSON.parse(raw));
  return { payload, type: headers };
}

/** Returns whether a global key may see every company with this operation. */
export const reachesAllCompanies = ({ scope }: Operation): boolean => scope?.startsWith('companies:') === true;

/** Returns true when the caller is a global key that may see every company with this operation. */
export const mayReachAllCompanies = (operation: Operation, { global, refusal }: Caller): boolean =>
  reachesAllCompanies(operation) && global === true && refusal === null;

/** Checks what holds for every answer: it contains nothing of the other company, has a documented status, and has only documented fields. */
function checkEveryAnswer(
  account: Findings,
  what: string,
  { answer, operation, unsaid }: { answer: MatrixAnswer; operation: Operation; unsaid: string[] },
): void {
  const { status, text, headers, body } = answer;
  const told = unsaid.find((secret) => text.includes(secret) || headers.includes(secret));
  const surplus = listSurplusFields(status < 300 ? operation.answer : operation.problem, body);
  if (told) account.faults.push(`${what} tells ${told} of another company: ${text.slice(0, 300)}`);
  if (surplus.length > 0) account.faults.push(`${what} shows ${surplus.join()}, which no schema names`);
  if (!operation.statuses.includes(status) || status >= 500)
    account.faults.push(`${what} answers ${status}: ${text.slice(0, 300)}`);
}

function tryParseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    // Failure policy: an answer that is not JSON has no fields; its status and text are still checked.
    return null;
  }
}

/** Checks that a successful answer contains records of `own` only. */
export function checkShowsOwnRecords(
  { own }: CompanyPair,
  account: Findings,
  what: string,
  answer: MatrixAnswer,
): void {
  const strange = listNamedCompanies(answer.body).find((company) => company !== own._id);
  if (strange) account.faults.push(`${what} shows a record of the company ${strange}`);
}

// The time of a key's last use changes shortly after each use, so comparisons ignore it. It reveals nothing, because answers show only the
// company's own keys.
const LAST_USED = /"last_used_at":"[^"]+"/g;

/** Returns true when no caller can tell the two answers apart. */
export function areSameAnswers(a: MatrixAnswer, b: MatrixAnswer): boolean {
  const stableText = ({ text }: MatrixAnswer): string => text.replaceAll(LAST_USED, '"last_used_at":null');
  return a.status === b.status && stableText(a) === stableText(b) && a.headers === b.headers;
}
