/** OAuth clients whose id is the address of a document, and how many may register. */
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { trustCertificate } from '../../../test/support/mail-servers.ts';
import {
  grantApp,
  listTools,
  postOauth,
  REDIRECT_URI,
  registerClient,
  startAttempt,
} from '../../../test/support/oauth.ts';
import { createPerson } from '../../../test/support/people.ts';
import { ROOMY, startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';

// The registrations of other files would count against the limit of this address.
const platform = await startPlatform({ isOwn: true, env: ROOMY });
const { call, demo } = platform;
const owner = await createPerson(platform, demo._id, 'OWNER');

/** Serves a document under each path that a test gives it. */
const documents = new Map<string, string>();
const site = createServer(trustCertificate({ after }), (request, response) => {
  const document = documents.get(request.url ?? '');
  if (request.url === '/moved') response.writeHead(302, { location: '/good' }).end();
  else if (request.url === '/hangs') response.writeHead(200).write('{');
  else response.writeHead(document === undefined ? 404 : 200).end(document);
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
after(() => {
  site.closeAllConnections();
  site.close();
});
const base = `https://127.0.0.1:${(site.address() as AddressInfo).port}`;

const describe = (path: string, changed: Json = {}): string => {
  const document = { client_id: base + path, client_name: 'Code', redirect_uris: [REDIRECT_URI], ...changed };
  documents.set(path, JSON.stringify(document));
  return base + path;
};
const preview = async (status: number, clientId: string): Promise<{ status: number; body: Json; headers: Headers }> => {
  const { request } = await startAttempt(platform, { clientId });
  return call(status, 'POST', '/v1/connected-apps/preview', { key: owner.token, body: { request } });
};

test('a client whose id is an address is connected without a registration', async () => {
  const clientId = describe('/good', { redirect_uris: [REDIRECT_URI, 'http://127.0.0.1/done'] });
  const { app } = (await preview(200, clientId)).body;
  assert.deepEqual([app.name, app.client_id, app.host], ['Code', clientId, 'assistant.example']);
  const { form } = await grantApp(platform, owner, await startAttempt(platform, { clientId }));
  const { body } = await postOauth(platform, '/oauth/token', form);
  assert.equal((await listTools(platform, body.access_token)).status, 200);
});

test('a document that is missing, moved, long, of another client or without a fitting address is refused', async () => {
  const bad = [
    `${base}/missing`,
    `${base}/moved`,
    describe('/other', { client_id: `${base}/good` }),
    describe('/long', { client_name: 'x'.repeat(20_000) }),
    describe('/script', { redirect_uris: ['javascript:alert(1)'] }),
    describe('/elsewhere', { redirect_uris: ['https://elsewhere.example/'] }),
    `${base}/`,
    `${base}/good#part`,
    'https://10.0.0.1/client',
    `${base}/hangs`,
  ];
  documents.set('/text', 'not JSON');
  documents.set('/null', 'null');
  documents.set('/deep', '['.repeat(10_000));
  for (const id of [...bad, `${base}/text`, `${base}/null`, `${base}/deep`])
    expectProblem(await preview(400, id), 'VALIDATION_FAILED', 'request');
});

test('one address registers at most a hundred clients in an hour', async () => {
  const statuses: number[] = [];
  while (!statuses.includes(429) && statuses.length < 110) statuses.push((await registerClient(platform)).status);
  assert.deepEqual([statuses.length, statuses.at(-1)], [101, 429]);
});
