/** Requests that the document does not describe: unknown paths, wrong methods, wrong content types, unusual headers. */
import { gzipSync } from 'node:zlib';
import type { Operation } from './document.ts';
import { buildOperationRequest, percentEncode, pickAdmittedCaller, type RequestContext } from './operation-shots.ts';
import type { FuzzRequest } from './shot.ts';
import { NAUGHTY } from './strings.ts';

const splitAtBlanks = (text: string): string[] => text.trim().split(/\s+/);

const METHODS = splitAtBlanks('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND LOCK SEARCH PURGE MKCOL');

/** Paths that are sent exactly as they are written here. */
const PATHS = [
  ...splitAtBlanks(String.raw`
/ // /// /. /.. /./v1 /v1 /v1/ /v1//inboxes //v1/inboxes /v1/inboxes/ /V1/INBOXES /v2/inboxes /v1/../v1/inboxes /v1/%2e%2e/metrics
/%76%31/inboxes /v1%2finboxes /v1/inboxes%00 /v1/inboxes%20 /v1/inboxes;a=b /v1/inboxes.json /v1/inboxes/% /v1/inboxes/%2
/v1/inboxes/%zz /v1/inboxes/%ff%fe /v1/inboxes/%c0%af /v1/inboxes/%e2%82 /v1/inboxes/%00 /v1/inboxes/%0d%0a /v1/inboxes/%5c..%5c
/v1/inboxes/..%2f..%2fx /v1/inboxes/%25%32%65 /% /%ff /\ /docs/../openapi.json /docs/assets/..%2f..%2fpackage.json
/docs/assets/%2e%2e/%2e%2e/package.json /docs/assets/%00 /docs/%ff /docs/assets/ /docs/nothing /docs/assets/nothing.js
/docs/assets/% /docs/api/x/ /docs/assets/....//x /docs// /docs/assets//etc /hooks /hooks/ /hooks/wap/ /hooks/wap/x /hooks/partner/1 /hooks/network/ /hooks/network/x
/hooks/WAP /health /health/live/ /metrics/ /metrics?a=%ff /favicon.ico /robots.txt /.env /.git/config /package.json /src/main.ts
/admin /graphql /server-status /cgi-bin/x /v1/inboxes?% /v1/inboxes?a=%zz /v1/inboxes?&&& /v1/inboxes?=1 /v1/inboxes?a[b][c]=1
/v1/inboxes?limit /v1/inboxes??limit=1 /v1/inboxes?__proto__=1 /v1/inboxes?constructor.prototype=1 /v1/inboxes?limit=1#x
/v1/inboxes?%00=1 /v1/inboxes?limit=%ff`),
  `/v1/inboxes/${'a'.repeat(199)}`,
  `/v1/inboxes/${'a'.repeat(201)}`,
  `/v1/inboxes/${'%41'.repeat(2_000)}`,
  `/${'a/'.repeat(3_000)}`,
  `/v1/inboxes?${'a=1&'.repeat(2_000)}`,
];

// These paths can also lead to the reference pages (some by redirection), or to lists whose unusual query is valid.
const ELSEWHERE = [200, 204, 301, 302, 304, 400, 401, 403, 404, 405, 413, 415];

export function buildUnknownPathRequest(gun: RequestContext): FuzzRequest {
  const { chance, scene } = gun;
  const roots = ['/', '/v1/', '/v1/inboxes/', '/docs/', '/docs/assets/', '/hooks/', '/health/'];
  const path = chance.int(2) === 0 ? chance.pick(PATHS) : chance.pick(roots) + percentEncode(chance.pick(NAUGHTY));
  // No operation accepts this body, so no webhook or inbox is created by accident.
  const method = chance.int(2) === 0 ? 'GET' : chance.pick(METHODS);
  const body = method === 'GET' || method === 'HEAD' || chance.int(2) === 0 ? null : Buffer.from('{"surprise":1}');
  return {
    idea: 'stray path',
    method,
    path,
    headers: { ...chance.pick(scene.callers).headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    body,
    operation: null,
    statuses: ELSEWHERE,
  };
}

/** Builds a request to a documented path with a method that the path does not have. */
export function buildWrongMethodRequest(gun: RequestContext): FuzzRequest {
  const { chance, operations } = gun;
  const operation = chance.pick(operations);
  const shot = buildOperationRequest(gun, operation, { idea: 'wrong method' });
  const taken = operations.filter(({ path }) => pathMatches(path, shot.path)).map(({ method }) => method);
  const method = chance.pick(
    METHODS.filter((other) => !taken.includes(other) && !(other === 'HEAD' && taken.includes('GET'))),
  );
  if (method === 'OPTIONS') return { ...shot, method, operation: null, statuses: [204] };
  return { ...shot, method, operation: null, statuses: [405], codes: ['METHOD_NOT_ALLOWED'] };
}

const pathMatches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

const OTHER_TYPES = [
  'text/plain; charset=utf-8',
  'application/json; charset=latin1',
  'multipart/form-data; boundary=x',
  ...splitAtBlanks(
    'text/plain application/xml text/json application/jsonx application/json-patch+json application/vnd.api+json',
  ),
  ...splitAtBlanks(
    'application/x-www-form-urlencoded multipart/form-data application/octet-stream */* application/* json image/png',
  ),
];
const ODD_JSON_TYPES = [
  'application/json; a=b; c="d"',
  ...splitAtBlanks('application/json;charset=utf-8 APPLICATION/JSON application/json;'),
];

export function buildWrongContentTypeRequest(gun: RequestContext): FuzzRequest {
  const { chance } = gun;
  const operation = chance.pick(gun.operations);
  const caller = pickAdmittedCaller(gun, operation);
  const odd = chance.int(3) === 0;
  const type = odd ? chance.pick(ODD_JSON_TYPES) : chance.pick(OTHER_TYPES);
  const body = Buffer.from('{"surprise":1}');
  const shot = buildOperationRequest(gun, operation, {
    idea: 'content type',
    caller,
    body,
    headers: { 'content-type': type },
  });
  if (operation.method === 'GET') return shot;
  if (operation.form) return { ...shot, statuses: type.startsWith('multipart/') ? [400, 415] : [415] };
  return odd
    ? { ...shot, statuses: [400], codes: ['VALIDATION_FAILED'] }
    : { ...shot, statuses: operation.body ? [415] : [400, 415] };
}

/** Builds a request with a body for an operation that takes none. */
export function buildUnexpectedBodyRequest(gun: RequestContext): FuzzRequest {
  const { chance } = gun;
  const operation = chance.pick(gun.operations.filter(({ body, form, method }) => !body && !form && method !== 'GET'));
  const body = Buffer.from(
    chance.pick(['{}', '[]', 'null', '0', '""', '{"a":1}', '{', '', 'x'.repeat(100), '{"__proto__":1}']),
  );
  return buildOperationRequest(gun, operation, { idea: 'surplus body', body });
}

const LARGE = 1_048_577;
const largeBodies: (() => Buffer)[] = [
  () => Buffer.from(`{"a":"${'a'.repeat(LARGE)}"}`),
  () => Buffer.from('['.repeat(LARGE)),
  () => Buffer.alloc(LARGE),
  () => Buffer.from(`[${'{"a":[]},'.repeat(120_000)}0]`),
  () => Buffer.alloc(3 * LARGE, '{"a":'),
];

export function buildLargeBodyRequest(gun: RequestContext): FuzzRequest {
  const { chance } = gun;
  const operation = chance.pick(gun.operations.filter(({ body }) => body));
  const caller = pickAdmittedCaller(gun, operation);
  const shot = buildOperationRequest(gun, operation, { idea: 'large body', caller, body: chance.pick(largeBodies)() });
  return { ...shot, statuses: [413], codes: ['BODY_TOO_LARGE'] };
}

// The hostile texts that an HTTP client can send in a header; the others are sent on raw sockets.
const CARRIED = NAUGHTY.filter((text) => /^[\x21-\x7e][\x20-\x7e]{0,500}$/.test(text));

const HEADERS: ((gun: RequestContext, text: string) => Record<string, string>)[] = [
  (_gun, text) => ({ 'x-request-id': text }),
  (_gun, text) => ({ 'x-company-id': text }),
  (_gun, text) => ({ accept: text }),
  (_gun, text) => ({ 'accept-language': text, 'accept-encoding': text, 'accept-charset': text }),
  (_gun, text) => ({ 'if-none-match': text, 'if-modified-since': text, 'if-match': '*', range: 'bytes=0-1' }),
  (_gun, text) => ({ 'x-http-method-override': 'DELETE', 'x-original-url': '/metrics', 'x-rewrite-url': text }),
  (_gun, text) => ({ 'x-forwarded-for': text, 'x-forwarded-proto': text, 'x-forwarded-host': text, forwarded: text }),
  (_gun, text) => ({ origin: text, referer: text, cookie: text, 'user-agent': text }),
  (_gun, text) => ({
    'access-control-request-method': 'DELETE',
    origin: 'null',
    'access-control-request-headers': text,
  }),
  (_gun, text) => ({ 'idempotency-key': text, prefer: text, date: text }),
  () => Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x-many-${index}`, 'y'.repeat(20)])),
  () => ({ 'x-long': 'y'.repeat(9_000) }),
];

export function buildUnusualHeaderRequest(gun: RequestContext): FuzzRequest {
  const { chance } = gun;
  const operation = chance.pick(gun.operations.filter(({ body, repeatable }) => !body || repeatable));
  const headers = chance.pick(HEADERS)(gun, chance.pick(CARRIED));
  return buildOperationRequest(gun, operation, { idea: 'odd header', headers });
}

const TOKENS = [
  '',
  'Bearer',
  'Bearer ',
  'Basic YTpi',
  'Bearer null',
  'Bearer a.b.c',
  'Digest x',
  'Bearer eyJhbGciOiJub25lIn0.e30.',
  'Bearer a b',
];

export function buildWrongTokenRequest(gun: RequestContext): FuzzRequest {
  const { chance } = gun;
  const operation: Operation = chance.pick(gun.operations.filter(({ secured }) => secured));
  const text = chance.int(2) === 0 ? chance.pick(TOKENS) : `Bearer ${chance.pick(CARRIED)}`;
  const caller = { name: 'a stranger', full: false, headers: { authorization: text } };
  return {
    ...buildOperationRequest(gun, operation, { idea: 'odd token', caller }),
    statuses: [401],
    codes: ['UNAUTHORIZED'],
  };
}

/** Builds a request with a compressed body and the header that announces it. The platform unpacks no request. */
export function buildCompressedRequest(gun: RequestContext): FuzzRequest {
  const { chance } = gun;
  const operation = chance.pick(gun.operations.filter(({ body }) => body));
  const caller = pickAdmittedCaller(gun, operation);
  const body = gzipSync(chance.int(2) === 0 ? '{}' : Buffer.alloc(1_000_000));
  const headers = { 'content-encoding': chance.pick(['gzip', 'br', 'deflate', 'x-nothing', 'gzip, gzip']) };
  return {
    ...buildOperationRequest(gun, operation, { idea: 'packed body', caller, body, headers }),
    statuses: [400, 415],
  };
}
