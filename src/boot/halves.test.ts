import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startSandbox } from '../../sandbox/test-process.ts';
import { openTestDatabase } from '../../test/support/database.ts';
import type { Json } from '../../test/support/platform.ts';
import { makeDataFolder, readyUrl, spawnProgram } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';

const database = await openTestDatabase();
after(() => database.close());

test('an api process and a worker process serve together on one database, even when both start at once on an empty data folder', async (t) => {
  const sandbox = await startSandbox();
  t.after(sandbox.stop);
  const folder = await makeDataFolder(t);
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    WAP_GRAPH_URL: sandbox.url,
    WAP_APP_SECRET: 'sandbox-app-secret',
    OUTBOUND_ALLOW: '127.0.0.0/8',
  };
  const api = spawnProgram(t, { purpose: 'api', env });
  const worker = spawnProgram(t, { purpose: 'worker', env });
  const url = await readyUrl(api);
  assert.equal(await readyUrl(worker), '', 'a worker listens nowhere');
  const { company_key: key } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')) as Json;
  const write = async (method: 'POST' | 'PUT', path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  const control = async (method: string, path: string, body?: unknown): Promise<Json> =>
    (await fetch(`${sandbox.url}/sandbox/${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })).json();
  await control('PUT', 'settings', { callback_url: `${url}/hooks/wap` });

  const account = { phone_number_id: '100000000000001', waba_id: '200000000000001', business_id: '300000000000001' };
  const inbox = await write('POST', '/v1/inboxes', {
    channel: 'WAP_AUTO_CLOSER',
    name: 'Phone',
    number: '+5511900000000',
    api_wap_config: { ...account, business_token: 'sandbox-token' },
  });
  assert.deepEqual([inbox.status, inbox.body.connection.status], [201, 'CONNECTED']);
  // The api process encrypts the header, and the worker decrypts it.
  const custom_headers = { 'x-secret': 'between-us' };
  const events = ['MESSAGE_RECEIVED'];
  assert.equal(
    (await write('POST', '/v1/webhooks', { url: `${sandbox.url}/receiver/x`, events, custom_headers })).status,
    201,
  );

  assert.equal((await control('POST', 'inbound', { text: 'Oi', from: '5511977770004' })).status, 200);
  const [delivery] = await waitUntil('the worker to deliver', async () => {
    const { deliveries } = await control('GET', 'deliveries');
    return deliveries.length > 0 && deliveries;
  });
  assert.equal(delivery.headers['x-secret'], 'between-us');
  const { conversation } = JSON.parse(delivery.body).data;
  assert.equal((await write('PUT', `/v1/conversations/${conversation}/read`, {})).status, 200);
  await waitUntil('the worker to do the job that the api left', async () => {
    const jobs = `select 1 from pgboss.job where name = 'conversations.mark-read' and state = 'completed'`;
    return (await database.sql(jobs)).length > 0;
  });

  for (const half of [api, worker]) half.child.kill('SIGTERM');
  assert.deepEqual(await Promise.all([api.ended, worker.ended]), [0, 0]);
  assert.deepEqual([api.stderr(), worker.stderr()], ['', '']);
});

test('the migrate command prepares an empty database, prints that it is up to date and exits with 0, however often it is run', async (t) => {
  const name = 'migrated_by_hand';
  await database.sql(`create database ${name}`);
  t.after(() => database.sql(`drop database ${name} with (force)`));
  const env = { DATA_DIR: await makeDataFolder(t), DATABASE_URL: new URL(`/${name}`, database.ownerUrl).href };
  for (let round = 0; round < 2; round += 1) {
    const program = spawnProgram(t, { purpose: 'migrate', env });
    assert.equal(await program.ended, 0, program.stderr());
    assert.match(program.stdout(), /^The database is up to date\.$/m);
  }
  // The API connects as another database user than the one that migrated.
  const api = spawnProgram(t, {
    purpose: 'api',
    env: { ...env, DATABASE_URL: new URL(`/${name}`, database.url).href },
  });
  assert.equal((await fetch(`${await readyUrl(api)}/health/ready`)).status, 200);
  api.child.kill('SIGTERM');
  assert.equal(await api.ended, 0);
});
