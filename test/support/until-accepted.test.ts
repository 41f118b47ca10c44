/** Tests that requests of tests are sent again after a 503. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { fetchUntilAccepted } from './until-accepted.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a request that is answered 503 is sent again with the same body, and each refusal is reported', async () => {
  let left = 2;
  const url = await serve((request, reply) => {
    left -= 1;
    if (left >= 0) reply.writeHead(503, { 'retry-after': '0' }).end(`refused ${left}`);
    else request.pipe(reply);
  });
  const refusals: string[] = [];
  const answer = await fetchUntilAccepted(url, () => ({ method: 'POST', body: 'Hello' }), {
    onRefusal: (text) => refusals.push(text),
  });
  assert.deepEqual([answer.status, await answer.text(), refusals], [200, 'Hello', ['refused 1', 'refused 0']]);
});

test('a request is sent again no more often than was asked, and another error is an answer', async () => {
  const asked: string[] = [];
  const url = await serve((request, reply) => {
    asked.push(request.url ?? '');
    reply.writeHead(request.url === '/full' ? 503 : 500, { 'retry-after': '0' }).end();
  });
  assert.equal((await fetchUntilAccepted(`${url}/full`, undefined, { most: 2 })).status, 503);
  assert.equal((await fetchUntilAccepted(`${url}/broken`)).status, 500);
  assert.deepEqual(asked, ['/full', '/full', '/full', '/broken']);
});
