/** The door for clients of Evolution API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEvolution } from '../../../test/support/evolution.ts';

const { platform, name, ask } = await openEvolution();
const { demo, call } = platform;

test('the door welcomes without a key, and refuses every other request without the key of a company', async () => {
  const welcome = await call(200, 'GET', '/evolution/', { key: null });
  assert.deepEqual(welcome.body, {
    status: 200,
    message: 'Welcome to the Evolution API, it is working!',
    version: '2.3.7',
  });
  const unauthorized = { status: 401, error: 'Unauthorized', response: { message: 'Unauthorized' } };
  const { token } = await platform.createUser(demo._id, 'OWNER');
  for (const key of ['', 'wrong', `pk_${'A'.repeat(43)}`, platform.globalKey, token])
    for (const path of ['instance/connectionState/nothing', 'nothing'])
      assert.deepEqual(await ask(401, 'GET', path, { key }), unauthorized);
  // The key of another header is none, and neither is a session.
  const { body } = await call(401, 'GET', '/evolution/instance/fetchInstances', { key: demo.key });
  assert.deepEqual(body, unauthorized);
});

test('a short key and a long key find the same instance, by its name and by its id', async () => {
  const { body: made } = await call(201, 'POST', '/v1/api-keys', {
    body: { type: 'company', name: 'n8n', scopes: ['inboxes:read'], format: 'SHORT' },
  });
  for (const key of [demo.key, made.token])
    for (const path of [name, `${demo.inbox}/`])
      assert.deepEqual(await ask(200, 'GET', `instance/connectionState/${path}`, { key }), {
        instance: { instanceName: name, state: 'open' },
      });
  const [shown, ...others] = await ask(200, 'GET', `instance/fetchInstances?instanceName=${name}`);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [shown.id, shown.name, shown.connectionStatus, shown.integration, shown.token],
    [demo.inbox, name, 'open', 'WHATSAPP-BUSINESS', null],
  );
});

test("an unknown instance and another company's are answered alike, in Evolution's words", async () => {
  const other = await platform.createCompany();
  const expectMissing = async (path: string, key: string): Promise<void> =>
    assert.deepEqual(await ask(404, 'GET', `instance/connectionState/${path}`, { key }), {
      status: 404,
      error: 'Not Found',
      response: { message: [`The "${path}" instance does not exist`] },
    });
  await expectMissing('nothing', demo.key);
  await expectMissing(name.toUpperCase(), demo.key);
  await expectMissing(name, other.key);
  await expectMissing(demo.inbox, other.key);
});

test("what the door does not serve is refused as Evolution's Cloud channel refuses it, and settings that are not there are empty", async () => {
  const refusal = {
    status: 400,
    error: 'Bad Request',
    response: { message: ['Method not available on WhatsApp Business API'] },
  };
  for (const [method, path] of [
    ['POST', `group/create/${name}`],
    ['GET', `group/fetchAllGroups/${name}`],
    ['POST', `typebot/set/${name}`],
    ['DELETE', `chat/deleteMessageForEveryone/${name}`],
    ['DELETE', `instance/logout/${name}`],
    ['GET', 'no/such/path/at/all'],
    ['PATCH', 'x'],
  ] as const)
    assert.deepEqual(await ask(400, method, path, { body: method === 'GET' ? undefined : {} }), refusal);
  assert.equal(await ask(200, 'GET', `proxy/find/${name}`), null);
  assert.deepEqual(await ask(200, 'GET', `typebot/find/${name}`), []);
  assert.equal((await ask(200, 'GET', `chatwoot/find/${name}/`)).enabled, false);
});
