/** The custom headers of a webhook: which headers are allowed, and how they are stored. */
import { AppError, type FieldError } from '../../platform/values/errors.ts';
import { isMaskedSecret, maskSecret, type Secrets } from '../../platform/store/secrets.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { allows } from '../../platform/values/scopes.ts';

export type Headers = Record<string, string>;

// Matches headers of the connection itself and headers that identify the delivery, which a company cannot set.
const RESERVED =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|x-webhook-(event|delivery|replay-of)|accept-encoding)$/i;

// Matches the names that HTTP allows. Node's own check is in node:http, whose import loads Node's HTTP client: 6 MB.
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
// The longest name of a header: no header in use has a longer name, and many receivers accept only 8 kB of headers in all.
const MAX_NAME_LENGTH = declareLimit(256, {
  topic: 'Webhooks',
  what: 'Custom headers: name',
  unit: 'characters',
  beyond: '400',
});

// Matches values with only characters that every receiver reads alike: others have no agreed encoding in a header, and blanks at the ends
// are cut off on the way.
const VISIBLE = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

const sealContext = (company: string): string => `${company}:webhook:custom_headers`;

export function sealHeaders(secrets: Secrets, company: string, headers: Headers): string {
  return secrets.seal(JSON.stringify(headers), sealContext(company));
}

export function openHeaders(secrets: Secrets, company: string, sealed: string): Headers {
  return JSON.parse(secrets.open(sealed, sealContext(company))) as Headers;
}

const keyContext = (company: string): string => `${company}:door-webhook:api_key`;

export const sealKey = (secrets: Secrets, company: string, key: string): string =>
  secrets.seal(key, keyContext(company));

/** Header values are secrets: a caller that may change them sees them, every other caller sees masks. */
export function showHeaders(
  secrets: Secrets,
  { principal }: Tenant,
  { company, custom_headers }: SealedHeaders,
): Headers {
  const headers = openHeaders(secrets, company, custom_headers);
  return allows(principal.scopes, 'webhooks:update') ? headers : maskHeaders(headers);
}

interface SealedHeaders {
  company: string;
  custom_headers: string;
}

const maskHeaders = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, maskSecret(value)]));

// The shortest value that is treated as a secret; a shorter value occurs in any text by chance.
const SHORTEST_SECRET = 4;

/** Returns every form in which an answer may echo a secret value: unchanged, and escaped inside a JSON text. The longest comes first. */
function listSpellings(headers: Headers): string[] {
  return Object.values(headers)
    .filter((value) => value.length >= SHORTEST_SECRET)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .toSorted((a, b) => b.length - a.length);
}

/** The custom headers in the form that an attempt needs. */
export interface OpenedHeaders {
  /** The headers to send, with names in lower case. */
  sent: Headers;
  /** The API key that the deliveries of a door's webhook contain. */
  apiKey: string | null;
  secrets: string[];
  /** The length of the longest secret in bytes. */
  longestSecret: number;
}

function toOpenedHeaders(headers: Headers, apiKey: string | null): OpenedHeaders {
  const secrets = listSpellings(apiKey === null ? headers : { ...headers, apikey: apiKey });
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { sent, apiKey, secrets, longestSecret: Buffer.byteLength(secrets[0] ?? '') };
}

/** Masks the secret values in a text that comes from a receiver of these headers. */
export const maskHeaderValues = (text: string, { secrets }: OpenedHeaders): string =>
  secrets.reduce((covered, value) => covered.replaceAll(value, maskSecret('')), text);

/** Returns the headers to store: a mask stands for the value that is stored under its name. Throws an error that names each bad header. */
export function acceptHeaders(given: Headers, stored: Headers): Headers {
  const errors: FieldError[] = [];
  const kept = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  const seen = new Set<string>();
  const accepted = Object.entries(given).map(([name, value]): [string, string] => {
    const real = isMaskedSecret(value) ? kept.get(name.toLowerCase()) : value;
    const reason = seen.has(name.toLowerCase()) ? 'appears twice' : findHeaderFault(name, real);
    if (reason) errors.push({ path: `custom_headers.${name}`, code: 'HEADER_NOT_ALLOWED', message: reason });
    seen.add(name.toLowerCase());
    return [name, real ?? ''];
  });
  const [first] = errors;
  if (first) throw new AppError('VALIDATION_FAILED', `${first.path} ${first.message}`, errors);
  return Object.fromEntries(accepted);
}

function findHeaderFault(name: string, value: string | undefined): string | null {
  if (RESERVED.test(name)) return 'is a reserved header';
  if (name.length > MAX_NAME_LENGTH) return `has a name longer than ${MAX_NAME_LENGTH} characters`;
  if (value === undefined) return 'is a mask, but no value is stored';
  if (!VISIBLE.test(value)) return 'must consist of visible ASCII characters, with spaces only between them';
  return NAME.test(name) ? null : 'is not a valid header';
}

// The number of webhooks whose headers are cached; when there are more, the cache is emptied, because decrypting headers takes
// microseconds.
const CACHED_HEADERS = 1_000;

/** Caches decrypted headers by their encrypted text: a changed header is encrypted again, so no entry can be out of date. */
export function createHeaderCache(
  secrets: Secrets,
): (delivery: SealedHeaders & { hook: { api_key: string | null } | null }) => OpenedHeaders {
  const opened = new Map<string, OpenedHeaders>();
  return ({ company, custom_headers, hook }) => {
    const sealedKey = hook?.api_key ?? null;
    const sealed = `${custom_headers} ${sealedKey}`;
    const hit = opened.get(sealed);
    if (hit) return hit;
    if (opened.size >= CACHED_HEADERS) opened.clear();
    const apiKey = sealedKey === null ? null : secrets.open(sealedKey, keyContext(company));
    const headers = toOpenedHeaders(openHeaders(secrets, company, custom_headers), apiKey);
    opened.set(sealed, headers);
    return headers;
  };
}
