/** When the client sends a request again, seen by a server that answers each request as the test says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createClient, isParleyError, type AnyParleyError, type ClientOptions } from '../../sdk/src/index.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

interface Scripted {
  url: string;
  requests: { operation: string; key: string | undefined; token: string | undefined }[];
}

const CONVERSATION = '6b02563b112d487fe1c71015';
const SEND = { conversationId: CONVERSATION, message: { content: 'Hi', contentType: 'TEXT' as const } };

/** Starts a server that gives its requests these answers in turn; the last one also answers all further requests. */
async function startScripted(...answers: Answer[]): Promise<Scripted> {
  const requests: Scripted['requests'] = [];
  const server = createServer((request, response) => {
    const { 'idempotency-key': key, authorization } = request.headers;
    requests.push({ operation: `${request.method} ${request.url}`, key: key?.toString(), token: authorization });
    request.resume().on('end', () => (answers.length > 1 ? answers.shift() : answers[0])?.(response, request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const answerProblem =
  (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
    response.end(JSON.stringify({ code, status, detail: 'Scripted', errors: [] }));
  };
const answerJson =
  (status: number, body: unknown): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
const cut: Answer = (response) => response.destroy();
const cutInBody: Answer = (response) => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"_id":', () => response.destroy());
};
const gatewayPage: Answer = (response) => {
  response.writeHead(502, { 'content-type': 'text/html' });
  response.end('<h1>Bad gateway</h1>');
};
const AT_ONCE = { 'retry-after': '0' };
const queued = { _id: CONVERSATION, status: 'QUEUED' };

const connect = ({ url }: Scripted, options: Partial<ClientOptions> = {}) =>
  createClient({ url, token: 'a', ...options });

async function catchError(call: Promise<unknown>): Promise<AnyParleyError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(isParleyError(error), String(error));
  return error;
}

test('a send is repeated with one Idempotency-Key after each kind of failure that may pass, and not after an answer that says QUEUED', async () => {
  const scripted = await startScripted(
    cut,
    cutInBody,
    gatewayPage,
    answerProblem(503, 'UNAVAILABLE', AT_ONCE),
    answerProblem(429, 'RATE_LIMITED', AT_ONCE),
    answerProblem(409, 'IDEMPOTENCY_IN_FLIGHT', AT_ONCE),
    answerJson(201, queued),
  );
  let tokens = 0;
  const message = await connect(scripted, { token: () => `t${(tokens += 1)}` }).messages.sendText(SEND);
  assert.deepEqual(message, queued);
  assert.equal(scripted.requests.length, 7);
  const keys = new Set(scripted.requests.map(({ key }) => key));
  assert.match([...keys].join(), /^[0-9a-f]{32}$/);
  assert.deepEqual(
    scripted.requests.map(({ token }) => token),
    [1, 2, 3, 4, 5, 6, 7].map((count) => `Bearer t${count}`),
  );
});

test('a POST without an Idempotency-Key is only repeated after 429, which says that nothing was begun', async () => {
  const logIn = (scripted: Scripted) => connect(scripted).auth.logIn({ email: 'ana@example.com', password: 'x' });
  for (const failure of [cut, cutInBody, gatewayPage, answerProblem(503, 'UNAVAILABLE', AT_ONCE)]) {
    const scripted = await startScripted(failure, answerJson(200, {}));
    assert.equal((await catchError(logIn(scripted))).attempts, 1);
    assert.deepEqual(scripted.requests, [{ operation: 'POST /v1/auth/login', key: undefined, token: 'Bearer a' }]);
  }
  const limited = await startScripted(answerProblem(429, 'RATE_LIMITED', AT_ONCE), answerJson(200, { ok: true }));
  assert.deepEqual(await logIn(limited), { ok: true });
});

test('a GET, PUT, PATCH and DELETE is repeated, because it leaves the same state, and the error tells how often', async () => {
  const scripted = await startScripted(cut, answerProblem(404, 'NOT_FOUND'));
  const error = await catchError(connect(scripted).contacts.delete(CONVERSATION));
  assert.deepEqual([error.code, error.attempts], ['NOT_FOUND', 2]);
  const broken = await startScripted(cutInBody, answerJson(200, queued));
  assert.deepEqual(await connect(broken).contacts.update(CONVERSATION, {}), queued);
  assert.deepEqual(
    broken.requests.map(({ operation }) => operation),
    Array.from({ length: 2 }, () => `PATCH /v1/contacts/${CONVERSATION}`),
  );
});

test('a refusal that would come again is thrown at once', async () => {
  for (const [status, code] of [
    [400, 'VALIDATION_FAILED'],
    [401, 'UNAUTHORIZED'],
    [409, 'CONTACT_EXISTS'],
    [422, 'IDEMPOTENCY_KEY_REUSED'],
    [500, 'INTERNAL_ERROR'],
  ] as const) {
    const scripted = await startScripted(answerProblem(status, code));
    const error = await catchError(connect(scripted).messages.sendText(SEND));
    assert.deepEqual([error.code, error.status, scripted.requests.length], [code, status, 1]);
  }
});

test('the pause is as long as Retry-After says, and a longer one than the client may wait is thrown at once', async () => {
  const scripted = await startScripted(
    answerProblem(503, 'UNAVAILABLE', { 'retry-after': '1' }),
    answerJson(201, queued),
  );
  const startedMs = performance.now();
  await connect(scripted).messages.sendText(SEND);
  assert.ok(performance.now() - startedMs >= 990);
  const later = await startScripted(answerProblem(503, 'UNAVAILABLE', { 'retry-after': '61' }));
  assert.equal((await catchError(connect(later).messages.sendText(SEND))).attempts, 1);
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  const dated = await startScripted(answerProblem(503, 'UNAVAILABLE', { 'retry-after': date }));
  assert.equal((await catchError(connect(dated).contacts.list())).attempts, 1);
});

test('repetitions end after the time that the client or the call allows', async () => {
  const scripted = await startScripted(cut);
  assert.equal((await catchError(connect(scripted, { repeatForMs: 0 }).contacts.list())).attempts, 1);
  const error = await catchError(connect(scripted).contacts.list({}, { repeatForMs: 600 }));
  assert.equal(error.code, 'NO_ANSWER');
  assert.ok(error.attempts >= 2 && error.attempts <= 4, String(error.attempts));
  assert.match(error.message, /^No answer after \d attempts$/);
  assert.ok(error.cause instanceof TypeError);
});

test('an attempt that takes too long is ended, and the caller can end a call at any moment', async () => {
  const silent = await startScripted(() => undefined);
  const error = await catchError(connect(silent).contacts.list({}, { timeoutMs: 50, repeatForMs: 0 }));
  assert.deepEqual([error.code, String(error.cause)], ['NO_ANSWER', 'Error: The attempt took too long']);
  const controller = new AbortController();
  const call = connect(silent).contacts.list({}, { signal: controller.signal });
  controller.abort(new Error('Left the page'));
  await assert.rejects(call, /Left the page/);
  const waiting = await startScripted((response, request) => {
    setTimeout(() => controllerOfPause.abort(new Error('Left while it waits')), 50);
    answerProblem(503, 'UNAVAILABLE', { 'retry-after': '30' })(response, request);
  });
  const controllerOfPause = new AbortController();
  await assert.rejects(connect(waiting).contacts.list({}, { signal: controllerOfPause.signal }), /Left while it waits/);
});

test('an answer that is not one of the platform is reported with its beginning, and a redirect is not followed', async () => {
  const page = await startScripted((response) => response.end('<h1>Welcome</h1>'));
  const error = await catchError(connect(page).contacts.list());
  assert.deepEqual([error.code, error.status], ['UNREADABLE_ANSWER', 200]);
  assert.match(error.message, /<h1>Welcome/);
  const elsewhere = await startScripted((response) => response.writeHead(302, { location: page.url }).end());
  assert.equal((await catchError(connect(elsewhere).contacts.list())).status, 302);
  assert.equal(page.requests.length, 1);
});
