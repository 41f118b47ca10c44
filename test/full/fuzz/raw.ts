/** Requests that no client library sends: cut off, concatenated, smuggled, or malformed byte by byte; each on a socket of its own. */
import { connect } from 'node:net';
import type { Answer } from './judge.ts';
import { findFaults } from './judge.ts';
import type { FuzzRequest } from './shot.ts';

export interface RawCase {
  name: string;
  /** The pieces of the request, which are written to the socket one after the other. */
  chunks: (string | Buffer)[];
  /** How the client ends the connection: by half-closing, by a reset, or not at all. */
  end: 'close' | 'reset' | 'stay';
  /** For each answer in order, the statuses that are right; null when any answer is right, or none. */
  statuses: number[][] | null;
}

const BODY = '{"surprise":1}';

function makeRequestHead(line: string, ...headers: string[]): string {
  return [line, 'Host: a', ...headers, '', ''].join('\r\n');
}

/** Lists all requests. `token` belongs to a caller with all rights. */
export function listRawCases(token: string): RawCase[] {
  return [
    ...listCutCases(token),
    ...listPipelinedCases(token),
    ...listMalformedCases(token),
    ...listHeaderCases(token),
  ];
}

function listCutCases(token: string): RawCase[] {
  const auth = `Authorization: Bearer ${token}`;
  const whole =
    makeRequestHead(
      'POST /v1/messages/note HTTP/1.1',
      auth,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
    ) + BODY;
  const cuts = [0, 1, 4, 20, 33, 60, whole.indexOf('\r\n\r\n'), whole.length - 5, whole.length - 1];
  return cuts.flatMap((at) =>
    (['close', 'reset'] as const).map((end): RawCase => ({
      name: `cut after ${at} bytes, then ${end}`,
      chunks: [whole.slice(0, at)],
      end,
      statuses: null,
    })),
  );
}

function listPipelinedCases(token: string): RawCase[] {
  const auth = `Authorization: Bearer ${token}`;
  const get = makeRequestHead('GET /v1/inboxes?limit=1 HTTP/1.1', auth);
  const post =
    makeRequestHead(
      'POST /v1/messages/note HTTP/1.1',
      auth,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
    ) + BODY;
  const last = makeRequestHead('GET /health/live HTTP/1.1', 'Connection: close');
  const chunked = makeRequestHead(
    'POST /v1/messages/note HTTP/1.1',
    auth,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  );
  const whole = `${get}${post}${last}`;
  return [
    {
      name: 'ten at once',
      chunks: [get.repeat(9) + last],
      end: 'stay',
      statuses: [...Array.from({ length: 9 }, () => [200]), [200]],
    },
    { name: 'good, bad, good', chunks: [whole], end: 'stay', statuses: [[200], [400], [200]] },
    { name: 'byte by byte', chunks: whole.split(''), end: 'stay', statuses: [[200], [400], [200]] },
    {
      name: 'a request inside a body',
      chunks: [
        makeRequestHead(
          'POST /v1/messages/note HTTP/1.1',
          auth,
          'Content-Type: application/json',
          `Content-Length: ${last.length}`,
        ) +
          last +
          last,
      ],
      end: 'stay',
      // A request that cannot be read ends the connection, because the beginning of the next request is unknown.
      statuses: [[400]],
    },
    { name: 'chunked', chunks: [`${chunked}e\r\n${BODY}\r\n0\r\n\r\n${last}`], end: 'stay', statuses: [[400], [200]] },
    {
      name: 'chunked with a trailer',
      chunks: [`${chunked}e;x=y\r\n${BODY}\r\n0\r\nX-Trailer: 1\r\n\r\n${last}`],
      end: 'stay',
      statuses: [[400], [200]],
    },
    { name: 'a good one, then rubbish', chunks: [`${get}\u0000\u0001rubbish\r\n\r\n`], end: 'stay', statuses: null },
    { name: 'blank lines before', chunks: [`\r\n\r\n${last}`], end: 'stay', statuses: [[200]] },
  ];
}

function listMalformedCases(token: string): RawCase[] {
  const auth = `Authorization: Bearer ${token}`;
  const json = 'Content-Type: application/json';
  const post = (...headers: string[]): string =>
    makeRequestHead('POST /v1/messages/note HTTP/1.1', auth, json, ...headers);
  const heads: [string, string | Buffer][] = [
    ['two lengths', post('Content-Length: 5', 'Content-Length: 14') + BODY],
    ['a length and chunks', post('Content-Length: 14', 'Transfer-Encoding: chunked') + BODY],
    ['chunks twice', `${post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity')}0\r\n\r\n`],
    ['an unknown coding', post('Transfer-Encoding: cow') + BODY],
    ['a negative length', post('Content-Length: -1') + BODY],
    ['a length that is no number', post('Content-Length: 1e1') + BODY],
    ['a length beyond all numbers', post(`Content-Length: ${'9'.repeat(30)}`) + BODY],
    ['a chunk of no number', `${post('Transfer-Encoding: chunked')}zz\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk beyond all numbers', `${post('Transfer-Encoding: chunked')}${'f'.repeat(20)}\r\n${BODY}`],
    ['a folded header', makeRequestHead('GET /health/live HTTP/1.1', 'X-A: 1', ' folded')],
    ['a header without a colon', makeRequestHead('GET /health/live HTTP/1.1', 'nothing')],
    ['a header without a name', makeRequestHead('GET /health/live HTTP/1.1', ': x')],
    ['a blank before the colon', makeRequestHead('GET /health/live HTTP/1.1', 'Content-Length : 0')],
    ['a NUL in a header', makeRequestHead('GET /health/live HTTP/1.1', 'X-A: a\u0000b')],
    ['a control character in a header', makeRequestHead('GET /health/live HTTP/1.1', 'X-A: a\u0001b')],
    [
      'bytes of no encoding in a name',
      Buffer.from(makeRequestHead('GET /health/live HTTP/1.1', 'X-\u00ff\u00fe: 1'), 'latin1'),
    ],
    ['only line feeds', 'GET /health/live HTTP/1.1\nHost: a\n\n'],
    ['a blank in the path', makeRequestHead('GET /health/live /x HTTP/1.1')],
    ['a NUL in the path', makeRequestHead('GET /v1/\u0000 HTTP/1.1')],
    ['bytes of no encoding in the path', Buffer.from(makeRequestHead('GET /v1/\u00ff\u00fe HTTP/1.1'), 'latin1')],
    ['no path', makeRequestHead('GET  HTTP/1.1')],
    ['a path without a slash', makeRequestHead('GET v1/inboxes HTTP/1.1')],
    ['no version', 'GET /health/live\r\n\r\n'],
    ['an old version', 'GET /health/live HTTP/0.9\r\nHost: a\r\n\r\n'],
    ['a version to come', makeRequestHead('GET /health/live HTTP/3.0')],
    ['the next protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['another protocol', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['a mail', 'HELO a\r\nMAIL FROM:<a@b>\r\n'],
    ['a method of its own', makeRequestHead('FROBNICATE /health/live HTTP/1.1')],
    ['a method in lower case', makeRequestHead('get /health/live HTTP/1.1')],
    ['a method without end', `${'G'.repeat(20_000)} / HTTP/1.1\r\n\r\n`],
    ['no host', 'GET /health/live HTTP/1.1\r\n\r\n'],
    ['two hosts', makeRequestHead('GET /health/live HTTP/1.1', 'Host: b')],
    ['an old client without a host', 'GET /health/live HTTP/1.0\r\n\r\n'],
    ['another host altogether', 'GET http://example.invalid/health/live HTTP/1.1\r\nHost: example.invalid\r\n\r\n'],
    ['the server as a whole', makeRequestHead('OPTIONS * HTTP/1.1')],
    ['a tunnel', 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n'],
    ['zeros', Buffer.alloc(1_000)],
  ];
  return heads.map(([name, text]): RawCase => ({ name, chunks: [text], end: 'close', statuses: null }));
}

function listHeaderCases(token: string): RawCase[] {
  const auth = `Authorization: Bearer ${token}`;
  const get = (...headers: string[]): string =>
    makeRequestHead('GET /v1/inboxes?limit=1 HTTP/1.1', ...headers, 'Connection: close');
  const post = (...headers: string[]): string =>
    makeRequestHead(
      'POST /v1/messages/note HTTP/1.1',
      auth,
      'Content-Type: application/json',
      'Connection: close',
      `Content-Length: ${BODY.length}`,
      ...headers,
    ) + BODY;
  const one = (name: string, text: string | Buffer, statuses: number[]): RawCase => ({
    name,
    chunks: [text],
    end: 'stay',
    statuses: [statuses],
  });
  return [
    one('headers of 20 kB', get(auth, `X-A: ${'a'.repeat(20_000)}`), [431]),
    one(
      'a thousand headers',
      get(auth, ...Array.from({ length: 1_000 }, (_, index) => `X-${index}: yyyyyyyyyyyyy`)),
      [431],
    ),
    one('a path of 20 kB', makeRequestHead(`GET /${'a'.repeat(20_000)} HTTP/1.1`), [431]),
    one('two tokens', get(auth, auth), [200, 401]),
    one('two companies', get(auth, 'X-Company-Id: a', 'X-Company-Id: b'), [200]),
    one('two request ids', get(auth, 'X-Request-Id: a', 'X-Request-Id: b'), [200]),
    one(
      'bytes of no encoding in a value',
      Buffer.from(get(auth, 'X-Company-Id: \u00ff\u00fe', 'X-Request-Id: \u00e9'), 'latin1'),
      [200],
    ),
    one('two content types', post('Content-Type: text/plain'), [400, 415]),
    one('an expectation', post('Expect: 100-continue'), [400]),
    one('an expectation of its own', post('Expect: the-spanish-inquisition'), [400, 417]),
    one('an upgrade', get(auth, 'Upgrade: websocket', 'Sec-WebSocket-Key: eA=='), [200]),
    one(
      'an upgrade to the next protocol',
      makeRequestHead(
        'GET /v1/inboxes?limit=1 HTTP/1.1',
        auth,
        'Connection: Upgrade, HTTP2-Settings, close',
        'Upgrade: h2c',
        'HTTP2-Settings: AAA',
      ),
      [200],
    ),
    one(
      'headers named like methods',
      get(auth, '__proto__: 1', 'constructor: 1', 'toString: 1', 'hasOwnProperty: 1'),
      [200],
    ),
    one('trailing blanks everywhere', get(`${auth}  \t`, 'X-A:   b   '), [200, 401]),
  ];
}

// The client closes the connection after PATIENCE_MS when the number of answers does not matter, and after ANSWERS_MS when it does.
const PATIENCE_MS = 2_500;
const ANSWERS_MS = 15_000;

/** Sends the request and returns the rules that the answers break, as sentences. */
export async function findRawFaults(url: string, raw: RawCase): Promise<string[]> {
  const { answers, rest } = parseAnswers(await sendRawCase(url, raw));
  const faults = rest.length > 0 ? [`no HTTP: ${rest.subarray(0, 200).toString('latin1')}`] : [];
  if (raw.statuses && answers.length !== raw.statuses.length)
    faults.push(
      `${answers.length} answers, not ${raw.statuses.length}: ${answers.map(({ status }) => status).join(', ')}`,
    );
  for (const [index, answer] of answers.entries()) {
    const shot = {
      idea: raw.name,
      method: 'GET',
      path: '',
      headers: {},
      body: null,
      operation: null,
    } satisfies FuzzRequest;
    const statuses = raw.statuses?.[index];
    faults.push(...findFaults(statuses ? { ...shot, statuses } : shot, answer));
  }
  return faults;
}

function sendRawCase(url: string, { chunks, end, statuses }: RawCase): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    // The client leaves its side open after the server has closed the other side, because the server's last answer has to arrive.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
    const done = (): void => {
      socket.destroy();
      resolve(Buffer.concat(received));
    };
    const patience = setTimeout(done, statuses ? ANSWERS_MS : PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      // All expected answers have arrived. The test closes the connection, because the server may keep it open.
      if (statuses && parseAnswers(Buffer.concat(received)).answers.length >= statuses.length) setImmediate(done);
    });
    // Failure policy: a reset ends the connection like any other end; what arrived before is judged.
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(patience);
      done();
    });
    for (const chunk of chunks) socket.write(chunk);
    if (end === 'close') socket.end();
    if (end === 'reset') socket.once('connect', () => setImmediate(() => socket.resetAndDestroy()));
  });
}

/** Parses the answers in the bytes, and returns them with the bytes after them. Interim answers (1xx) are skipped. */
function parseAnswers(bytes: Buffer): { answers: Answer[]; rest: Buffer } {
  const answers: Answer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    const [line = '', ...lines] = rest.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1]);
    if (end < 0 || Number.isNaN(status)) return { answers, rest };
    const headers = Object.fromEntries(
      lines.map((text) => [text.slice(0, text.indexOf(':')).toLowerCase(), text.slice(text.indexOf(':') + 1).trim()]),
    );
    const body = rest.subarray(end + 4);
    const length = status < 200 || status === 204 || status === 304 ? 0 : Number(headers['content-length'] ?? 0);
    if (body.length < length) return { answers, rest };
    if (status >= 200) answers.push({ status, headers, text: body.subarray(0, length).toString('utf8') });
    rest = body.subarray(length);
  }
}
