/** The receiver that docs/events.md shows, run as a program of its own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPlatform, type Json } from '../support/platform.ts';
import { findPort } from '../support/ports.ts';
import { makeDataFolder } from '../support/process.ts';
import { silenceNetwork, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const SECRET = 'only-we-know';
const platform = await startPlatform();
await silenceNetwork(platform);
const { call, demo } = platform;

test('the receiver of the guide checks the secret, replies to a text, and ignores a replay of it', async (t) => {
  const folder = await makeDataFolder(t);
  const [, program] = /^```js receiver\.mjs\n(.*?)^```$/ms.exec(await readFile('docs/events.md', 'utf8')) ?? [];
  assert.ok(program && program.trimEnd().split('\n').length <= 40);
  await mkdir(folder);
  await writeFile(join(folder, 'receiver.mjs'), program);
  const PORT = String(await findPort());
  const { token: KEY } = await platform.createKey(demo._id, ['messages:create']);
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { API: platform.url, KEY, SECRET, PORT },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  t.after(async () => {
    child.kill();
    await ended;
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));

  const url = `http://127.0.0.1:${PORT}/`;
  const post = (secret: string): Promise<number | null> =>
    fetch(url, { method: 'POST', headers: { 'x-secret': secret }, body: 'no JSON' }).then(
      ({ status }) => status,
      () => null,
    );
  await waitUntil('the receiver to listen', async () => (await post('guessed')) === 401);
  assert.equal(await post(SECRET), 400);

  const body = { url, events: ['MESSAGE_RECEIVED'], custom_headers: { 'x-secret': SECRET } };
  const { body: webhook } = await call(200, 'GET', '/v1/webhooks');
  await call(200, 'PUT', `/v1/webhooks/${webhook._id}`, { body });
  const { message, conversation } = await writeAsContact(platform, { text: 'Any cake left?' });
  await waitUntil('the reply', () => printed.includes('\n'));
  const listDeliveries = async (): Promise<Json[]> => (await call(200, 'GET', '/v1/webhooks/deliveries')).body.result;
  const [{ _id } = {}] = await waitUntil('the delivery to be noted', async () => {
    const deliveries = await listDeliveries();
    return deliveries.every(({ status }) => status === 'DELIVERED') && deliveries;
  });
  await call(201, 'POST', `/v1/webhooks/deliveries/${_id}/replay`);
  await waitUntil('the replay', async () => {
    const deliveries = await listDeliveries();
    return deliveries.length === 2 && deliveries.every(({ status }) => status === 'DELIVERED');
  });
  const { message: next } = await writeAsContact(platform, { text: 'And bread?' });
  await waitUntil('the next reply', () => printed.includes(next._id));
  assert.equal(printed, [message, next].map(({ _id: id }) => `${id} 201 SENT \n`).join(''));
  const messages: Json[] = (await call(200, 'GET', `/v1/messages/conversation/${conversation._id}`)).body.result;
  assert.deepEqual(
    messages.map(({ content }) => content),
    ['Any cake left?', 'You wrote: Any cake left?'],
  );
});
