/** Custom headers of a webhook: what may be set, and how they are kept. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { AppError, type FieldError } from '../../platform/errors.ts';
import { isMask, mask, type Secrets } from '../../platform/secrets.ts';

export type Headers = Record<string, string>;

// What the connection itself says, and what the delivery promises: nobody may say it for us.
const RESERVED =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|x-webhook-(event|delivery|replay-of)|accept-encoding)$/i;

// No header of the world is longer, and a receiver's own limit (8 kB for all of them, often) is not spent on one name.
const MAX_NAME_LENGTH = 256;

// What every receiver reads alike: other characters have no agreed encoding in a header, and blanks at the ends are cut off on the way.
const VISIBLE = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

const contextOf = (company: string): string => `${company}:webhook:custom_headers`;

export function sealHeaders(secrets: Secrets, company: string, headers: Headers): string {
  return secrets.seal(JSON.stringify(headers), contextOf(company));
}

export function openHeaders(secrets: Secrets, company: string, sealed: string): Headers {
  return JSON.parse(secrets.open(sealed, contextOf(company))) as Headers;
}

export const maskHeaders = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value)]));

// What is shorter stands in any text by chance, and is no secret.
const SHORTEST_SECRET = 4;

/** Every spelling of a value in an answer that echoes it: as it is, and inside a JSON text. Longest first. */
function spellings(headers: Headers): string[] {
  return Object.values(headers)
    .filter((value) => value.length >= SHORTEST_SECRET)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .toSorted((a, b) => b.length - a.length);
}

/** Headers as an attempt needs them. */
export interface OpenedHeaders {
  /** Names in small letters. */
  sent: Headers;
  secrets: string[];
  /** The most bytes that one secret takes. */
  longestSecret: number;
}

function openedFrom(headers: Headers): OpenedHeaders {
  const secrets = spellings(headers);
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { sent, secrets, longestSecret: Buffer.byteLength(secrets[0] ?? '') };
}

/** A text of somebody who was sent these headers, without their values. */
export const coverValues = (text: string, { secrets }: OpenedHeaders): string =>
  secrets.reduce((covered, value) => covered.replaceAll(value, mask('')), text);

/** The headers to store: a mask keeps the value that is stored under its name. Throws what is wrong with which header. */
export function acceptHeaders(given: Headers, stored: Headers): Headers {
  const errors: FieldError[] = [];
  const kept = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  const seen = new Set<string>();
  const accepted = Object.entries(given).map(([name, value]): [string, string] => {
    const real = isMask(value) ? kept.get(name.toLowerCase()) : value;
    const reason = seen.has(name.toLowerCase()) ? 'stands there twice' : reasonToRefuse(name, real);
    if (reason) errors.push({ path: `custom_headers.${name}`, code: 'HEADER_NOT_ALLOWED', message: reason });
    seen.add(name.toLowerCase());
    return [name, real ?? ''];
  });
  const [first] = errors;
  if (first) throw new AppError('VALIDATION_FAILED', `${first.path} ${first.message}`, errors);
  return Object.fromEntries(accepted);
}

function reasonToRefuse(name: string, value: string | undefined): string | null {
  if (RESERVED.test(name)) return 'is a reserved header';
  if (name.length > MAX_NAME_LENGTH) return `has a name longer than ${MAX_NAME_LENGTH} characters`;
  if (value === undefined) return 'is a mask, and nothing is stored behind it';
  if (!VISIBLE.test(value)) return 'must consist of visible ASCII characters, with blanks only between them';
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return null;
  } catch {
    // Failure policy: Node's own rules decide; its message may quote the secret value.
    return 'is not a valid header';
  }
}

// More webhooks than this in one process's flight are opened again; opening takes microseconds.
const CACHED_HEADERS = 1_000;

/** Headers by their sealed text: what changes is sealed anew, so nothing here can be out of date. */
export function createHeaderCache(
  secrets: Secrets,
): (delivery: { company: string; custom_headers: string }) => OpenedHeaders {
  const opened = new Map<string, OpenedHeaders>();
  return ({ company, custom_headers }) => {
    const hit = opened.get(custom_headers);
    if (hit) return hit;
    if (opened.size >= CACHED_HEADERS) opened.clear();
    const headers = openedFrom(openHeaders(secrets, company, custom_headers));
    opened.set(custom_headers, headers);
    return headers;
  };
}
