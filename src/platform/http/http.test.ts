import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { startPlatform, type Answer, type CallOptions, type Json } from '../../../test/support/platform.ts';
import { createServer } from './http.ts';
import { createLog, createMetrics } from '../work/telemetry.ts';

const platform = await startPlatform();
const inboxPath = `/v1/inboxes/${platform.demo.inbox}`;

/** Checks all properties of an error answer and returns its body. */
function checkProblem(answer: Answer, code: string): Json {
  const { status, headers, body } = answer;
  assert.equal(headers.get('content-type'), 'application/problem+json');
  assert.deepEqual(Object.keys(body).toSorted(), ['code', 'detail', 'errors', 'request_id', 'status', 'title', 'type']);
  assert.deepEqual([body.code, body.status, body.type], [code, status, `/docs/errors#${code}`]);
  assert.equal(body.request_id, headers.get('x-request-id'));
  for (const error of body.errors) {
    assert.deepEqual(Object.keys(error).toSorted(), ['code', 'message', 'path']);
    assert.match(error.code, /^[A-Z_]+$/);
    assert.ok(error.path && error.message);
  }
  return body;
}

async function refuse(status: number, code: string, options: CallOptions, path = inboxPath): Promise<Json> {
  return checkProblem(await platform.call(status, 'PUT', path, options), code);
}

describe('the body of a request', () => {
  const before = platform.call(200, 'GET', inboxPath);

  for (const [what, body, path, code] of [
    ['an unknown property', { nope: 1 }, 'nope', 'ADDITIONAL_PROPERTIES'],
    ['a read-only property', { coexistence_enabled: true }, 'coexistence_enabled', 'ADDITIONAL_PROPERTIES'],
    [
      'an unknown nested property',
      { general_config: { include_operator_name_on_message: true, x: 1 } },
      'general_config.x',
      'ADDITIONAL_PROPERTIES',
    ],
    ['a number for a text', { name: 5 }, 'name', 'TYPE'],
    ['a text for a flag', { disable_inbound_ai: 'true' }, 'disable_inbound_ai', 'TYPE'],
    ['a number for a flag', { disable_inbound_ai: 1 }, 'disable_inbound_ai', 'TYPE'],
    ['null for what cannot be empty', { name: null }, 'name', 'TYPE'],
    ['a value for a list', { test_mode: { test_numbers: '+5511' } }, 'test_mode.test_numbers', 'TYPE'],
    ['a wrong item', { test_mode: { test_numbers: ['+5511', 5] } }, 'test_mode.test_numbers[1]', 'TYPE'],
    ['an empty text', { name: '' }, 'name', 'MIN_LENGTH'],
    ['a word that is none of the list', { status: 'CLOSED' }, 'status', 'ENUM'],
    [
      'a missing nested property',
      { general_config: {} },
      'general_config.include_operator_name_on_message',
      'REQUIRED',
    ],
    ['a list', [], 'body', 'TYPE'],
    ['null', null, 'body', 'TYPE'],
    ['a text', 'name', 'body', 'TYPE'],
  ] as const) {
    test(`a body with ${what} is refused with the field's path`, async () => {
      const problem = await refuse(400, 'VALIDATION_FAILED', { body });
      const found = problem.errors.find((error: Json) => error.path === path);
      assert.equal(found?.code, code, JSON.stringify(problem.errors));
      assert.ok(problem.detail.startsWith(`${problem.errors[0].path} `), 'the detail names the field');
    });
  }

  const withKeys = (count: number): string =>
    JSON.stringify({ test_mode: Object.fromEntries(Array.from({ length: count }, (_, key) => [key, 0])) });
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  for (const [what, raw, path] of [
    ['that is not JSON', '{"name":', undefined],
    ['that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), undefined],
    ['that begins with a byte order mark', '\uFEFF{}', undefined],
    ['with NUL in a text', String.raw`{"name":"a\u0000b"}`, 'name'],
    ['with NUL in a name', String.raw`{"a\u0000b":1}`, 'body'],
    [
      'with half of a surrogate pair',
      String.raw`{"test_mode":{"test_numbers":["\ud800"]}}`,
      'test_mode.test_numbers[0]',
    ],
    ['with __proto__', '{"__proto__":{"name":"x"}}', '__proto__'],
    ['with __proto__ inside', '{"general_config":{"__proto__":{}}}', 'general_config.__proto__'],
    ['21 levels deep', nested(21), '[0]'.repeat(20)],
    ['with 1,001 properties in one object', withKeys(1_001), 'test_mode'],
    ['with more than 10,000 values', JSON.stringify({ name: Array(10_000).fill(0) }), 'name[9998]'],
    ['100,000 levels deep', nested(100_000), '[0]'.repeat(20)],
  ] as const) {
    test(`a body ${what} is refused as malformed`, async () => {
      const problem = await refuse(400, 'MALFORMED_BODY', { raw });
      assert.equal(problem.errors[0]?.path, path);
    });
  }

  test("a body with a number that would lose digits is refused with the number's path", async () => {
    const raw = '{"test_mode":{"test_numbers":["1",5511900000000000001]}}';
    const problem = await refuse(400, 'VALIDATION_FAILED', { raw });
    assert.deepEqual([problem.errors[0].path, problem.errors[0].code], ['test_mode.test_numbers[1]', 'PRECISION']);
  });

  test('a body of exactly 20 levels, 1,000 properties or 10,000 values is accepted', async () => {
    const values = JSON.stringify({ name: Array(9_998).fill(0) });
    for (const raw of [nested(20), withKeys(1_000), values]) await refuse(400, 'VALIDATION_FAILED', { raw });
  });

  test('a body above 1 MB is refused, with and without a content length', async () => {
    const raw = JSON.stringify({ name: 'a'.repeat(1024 * 1024) });
    await refuse(413, 'BODY_TOO_LARGE', { raw });
    const chunked = ReadableStream.from([Buffer.from(raw)]);
    const headers = { authorization: `Bearer ${platform.demo.key}`, 'content-type': 'application/json' };
    const request = new Request(platform.url + inboxPath, { method: 'PUT', headers, body: chunked, duplex: 'half' });
    assert.equal((await fetch(request)).status, 413);
  });

  test('the client of a body far above 1 MB receives the answer, though it is still writing when the body is refused', async () => {
    const { hostname, port } = new URL(platform.url);
    for (let round = 0; round < 4; round += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      const head = `PUT ${inboxPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${platform.demo.key}\r\n`;
      socket.write(`${head}content-type: application/json\r\ncontent-length: 20000000\r\n\r\n`);
      // The client reads the answer only after it has written everything. If the connection was closed before, the answer would be lost.
      await new Promise((done) => socket.write(Buffer.alloc(20_000_000, ' '), done));
      const answer = await textOf(socket.end());
      assert.match(answer, /^HTTP\/1\.1 413 /);
      assert.match(answer, /"code":"BODY_TOO_LARGE"/);
    }
  });

  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/json-patch+json',
    'json',
    'application/jsonp',
  ]) {
    test(`a body with the content type ${type} is refused`, () =>
      refuse(415, 'UNSUPPORTED_MEDIA_TYPE', { raw: '{}', headers: { 'content-type': type } }));
  }

  test('a JSON body is accepted with parameters and with any case of its content type', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json ;x=y']) {
      await platform.call(200, 'PUT', inboxPath, { raw: '{}', headers: { 'content-type': type } });
    }
  });

  test('a body for an operation that takes none is refused, except an empty object', async () => {
    const path = `/v1/webhooks/${'0'.repeat(24)}`;
    for (const raw of ['{"a":1}', '5', '[]', '"x"']) {
      checkProblem(await platform.call(400, 'DELETE', path, { raw }), 'VALIDATION_FAILED');
    }
    checkProblem(await platform.call(404, 'DELETE', path, { raw: '{}' }), 'NOT_FOUND');
  });

  test('a refused body changes nothing (defect 15)', async () => {
    // After its start the platform asks the network for the standing of the number.
    const { updatedAt: _now, standing: _new, ...after } = (await platform.call(200, 'GET', inboxPath)).body;
    const { updatedAt: _then, standing: _old, ...earlier } = (await before).body;
    assert.deepEqual(after, earlier);
  });
});

describe('the URL of a request', () => {
  for (const [query, path] of [
    ['nope=1', 'nope'],
    ['limit=1&limit=2', 'limit'],
    ['status=ACTIVE&status=ACTIVE', 'status'],
    ['limit[]=1', 'limit[]'],
    ['limit=101', 'limit'],
    ['limit=0', 'limit'],
    ['limit=', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e400', 'limit'],
    ['page=0', 'page'],
    ['page=1000000&limit=100', 'page'],
    ['skipCount=1', 'skipCount'],
    ['sort=name', 'sort'],
    ['after=nonsense', 'after'],
    [`after=${'z'.repeat(201)}`, 'after'],
    ['status=%E0%A4%A', 'status'],
    ['after=%ED%A0%80', 'after'],
    ['__proto__=1', '__proto__'],
  ] as const) {
    test(`a URL with the query ${query.slice(0, 40)} is refused and names ${path}`, async () => {
      const problem = checkProblem(await platform.call(400, 'GET', `/v1/inboxes?${query}`), 'VALIDATION_FAILED');
      assert.equal(problem.errors[0].path, path);
    });
  }

  test('a URL with NUL in a parameter is refused as malformed', async () => {
    checkProblem(await platform.call(400, 'GET', '/v1/inboxes?after=%00'), 'MALFORMED_BODY');
  });

  test('a URL with a malformed id is answered with 404', async () => {
    for (const id of [
      '%E0%A4%A',
      '%zz',
      '%00',
      'x',
      'a'.repeat(300),
      platform.demo.inbox.toUpperCase(),
      `${platform.demo.inbox}0`,
    ]) {
      checkProblem(await platform.call(404, 'GET', `/v1/inboxes/${id}`), 'NOT_FOUND');
    }
  });

  test('an unknown path is answered with 404, whatever the method', async () => {
    for (const path of [
      '/v1',
      '/nope',
      '/v1/inboxes/',
      '//v1/inboxes',
      '/docs/static/....//x',
      `/v1/${'a'.repeat(9_000)}`,
    ]) {
      checkProblem(await platform.call(404, 'GET', path), 'NOT_FOUND');
    }
    for (const method of ['DELETE', 'OPTIONS']) checkProblem(await platform.call(404, method, '/v1/nope'), 'NOT_FOUND');
  });

  test('who opens an unknown address in a browser sees a page in their language', async () => {
    const headers = { accept: 'text/html,*/*;q=0.8', 'accept-language': 'de, pt-BR;q=0.9, en;q=0.8' };
    const answer = await fetch(`${platform.url}/nope/<b>?x=1`, { headers });
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    const page = await answer.text();
    assert.match(page, /<html lang="pt">[^]*<h1>Esta página não existe<\/h1>[^]*href="\.\.\/console"/);
    assert.doesNotMatch(page, /<b>/);
    const called = await fetch(`${platform.url}/v1/nope`, { headers });
    assert.equal(called.headers.get('content-type'), 'application/problem+json');
  });

  test('a known path with another method is answered with 405 and the allowed methods, before token and body are checked', async () => {
    for (const [method, path, allow, named] of [
      ['DELETE', '/v1/inboxes', 'GET, HEAD, POST, OPTIONS', 'GET or POST'],
      ['POST', inboxPath, 'GET, HEAD, PUT, OPTIONS', 'GET or PUT'],
      ['GET', '/v1/auth/login', 'POST, OPTIONS', 'POST'],
      ['PROPFIND', '/health/live', 'GET, HEAD, OPTIONS', 'GET'],
    ] as const) {
      const headers = { 'content-type': 'text/plain' };
      const raw = method === 'GET' ? undefined : 'surprise';
      const options = { key: null, headers, ...(raw === undefined ? {} : { raw }) };
      const answer = await platform.call(405, method, path, options);
      assert.equal(checkProblem(answer, 'METHOD_NOT_ALLOWED').detail, `${method} is not supported here, use ${named}`);
      assert.equal(answer.headers.get('allow'), allow);
    }
  });

  test('OPTIONS returns the methods of a path', async () => {
    const answer = await platform.call(204, 'OPTIONS', '/v1/inboxes', { key: null });
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
  });

  test('a path that supports GET also supports HEAD', async () => {
    const headers = { authorization: `Bearer ${platform.demo.key}` };
    const [whole, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => fetch(platform.url + inboxPath, { method, headers })),
    );
    assert.equal(head?.status, 200);
    assert.equal(head.headers.get('content-length'), String((await whole?.arrayBuffer())?.byteLength));
    assert.equal((await fetch(`${platform.url}/v1/auth/login`, { method: 'HEAD' })).status, 405);
  });
});

describe('the head of a request', () => {
  test('a request head above 16 kB is refused, whether its URL or its headers are too long', async () => {
    checkProblem(await platform.call(431, 'GET', `/v1/${'a'.repeat(17_000)}`), 'HEADERS_TOO_LARGE');
    const headers = { 'x-long': 'a'.repeat(17_000) };
    checkProblem(await platform.call(431, 'GET', '/v1/inboxes', { headers }), 'HEADERS_TOO_LARGE');
  });

  for (const [what, text] of [
    ['that is not HTTP', 'HELLO\r\n\r\n'],
    ['with a length that is no number', 'PUT /v1/inboxes/x HTTP/1.1\r\nhost: a\r\ncontent-length: abc\r\n\r\n'],
    [
      'with two ways to measure its body',
      'PUT /v1/inboxes/x HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['with raw bytes in its address', 'GET /v1/\u00e9 HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['that names no host', 'GET /v1/inboxes HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ] as const) {
    test(`a request ${what} is answered with an error in the usual format, and its connection is closed`, async () => {
      const [head = '', body = ''] = (await speak(text)).split('\r\n\r\n');
      assert.match(head, /^HTTP\/1\.1 400 /);
      assert.match(head, /content-type: application\/problem\+json/);
      const problem = JSON.parse(body) as Json;
      assert.equal(problem.code, 'MALFORMED_BODY');
      assert.ok(head.includes(`x-request-id: ${problem.request_id}`));
    });
  }

  test('a request with an unknown Expect header is answered as if it had none', async () => {
    const answer = await speak('GET /health/live HTTP/1.1\r\nhost: a\r\nexpect: more\r\nconnection: close\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /x-request-id: [\w-]{36}/);
  });
});

test('no answer of the API is stored on the way or taken for anything but its media type', async () => {
  for (const token of [platform.demo.key, 'no token']) {
    const { headers } = await fetch(platform.url + inboxPath, { headers: { authorization: `Bearer ${token}` } });
    const { 'cache-control': stored, 'x-content-type-options': guessed } = Object.fromEntries(headers);
    assert.deepEqual([stored, guessed], ['no-store', 'nosniff']);
  }
});

test("every answer has an x-request-id: the caller's when it is harmless, or a new one", async () => {
  const readRequestId = async (path: string, given?: string) => {
    const answer = await fetch(platform.url + path, given ? { headers: { 'x-request-id': given } } : {});
    await answer.arrayBuffer();
    return answer.headers.get('x-request-id') ?? '';
  };
  for (const path of [
    '/health/live',
    '/nope',
    '/v1/inboxes',
    '/metrics',
    '/openapi.json',
    '/docs/',
    '/hooks/wap',
    '/v1/inboxes/%zz',
  ]) {
    assert.match(await readRequestId(path), /^[\w-]{36}$/, path);
    assert.equal(await readRequestId(path, 'mine-1.2_3'), 'mine-1.2_3', path);
  }
  for (const given of ['two words', '<script>', 'é', 'x'.repeat(65)])
    assert.notEqual(await readRequestId('/nope', given), given);
  const [one, two] = [await readRequestId('/nope'), await readRequestId('/nope')];
  assert.notEqual(one, two);
});

test('the server does not start with a route that is neither public nor has a scope, and the error names the route', async () => {
  const app = createServer(createLog('silent'), createMetrics());
  app.get('/open', { config: { access: 'public' } }, () => 'fine');
  app.post('/forgotten', () => 'oops');
  await assert.rejects(async () => app.ready(), /routes without a scope or public: POST \/forgotten$/);
});

test('an unexpected error is answered with 500 and reveals nothing of its message', async () => {
  const app = createServer(createLog('silent'), createMetrics());
  app.get('/broken', { config: { access: 'public' } }, () => {
    throw new Error('select secret from somewhere');
  });
  const answer = await app.inject('/broken');
  assert.equal(answer.statusCode, 500);
  assert.equal(answer.json().code, 'INTERNAL_ERROR');
  assert.ok(!/select|secret|somewhere|http\.test/.test(answer.body));
  await app.close();
});

/** Sends raw bytes to the server and returns everything that it answers until it closes the connection. */
async function speak(text: string): Promise<string> {
  const { port, hostname } = new URL(platform.url);
  const socket = connect(Number(port), hostname);
  let answered = '';
  socket.setEncoding('utf8').on('data', (part: string) => (answered += part));
  socket.write(Buffer.from(text, 'latin1'));
  await once(socket, 'close');
  return answered;
}
