/** First starts of the real program on an empty database; some of them are killed before they end. */
import assert from 'node:assert/strict';
import { access, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { openTestDatabase } from '../../test/support/database.ts';
import { FROM_PAGE } from '../../test/support/people.ts';
import { startPlatform, type Json } from '../../test/support/platform.ts';
import { findPort } from '../../test/support/ports.ts';
import { killProgram, makeDataFolder, readyUrl, spawnProgram } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { storeWantedDemo } from '../platform/store/installation.ts';
import { makeFirstLink, prepareFirstStart } from './first-start.ts';

test('when a first start is killed while it creates the demo, the next start completes the demo', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const env = { DATA_DIR: await makeDataFolder(t), DATABASE_URL: database.url, SANDBOX: 'on' };
  const holder = new pg.Client({ connectionString: database.ownerUrl });
  await holder.connect();
  // The lock makes the first start wait when it tries to write into this table.
  await holder.query('begin; lock table webhooks in exclusive mode');
  let first = spawnProgram(t, { env });
  // A transaction that stayed open while the demo is created would be ended by the database when the network is slow.
  const look = `select (select count(*) from pg_stat_activity where datname = current_database() and application_name = 'parley'
      and state = 'idle in transaction')::int as idle
    where exists (select from pg_locks where relation = 'webhooks'::regclass and not granted)`;
  const found = await waitUntil('the first start to wait for the table', async () => {
    // A start gives up when it has waited for a locked table for two seconds. On a busy machine that may be before anybody has looked.
    if (first.child.exitCode !== null) first = spawnProgram(t, { env });
    return (await database.sql<{ idle: number }>(look))[0];
  });
  assert.equal(found.idle, 0);
  await killProgram(first);
  await holder.end();

  const second = spawnProgram(t, { env });
  const url = await readyUrl(second);
  const { company_key: key } = JSON.parse(await readFile(join(env.DATA_DIR, 'credentials.json'), 'utf8')) as Json;
  const read = async (path: string): Promise<Json> =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).json();
  const { result: inboxes } = await read('/v1/inboxes');
  assert.deepEqual(
    inboxes.map((inbox: Json) => [inbox.name, inbox.status]),
    [
      ['Sandbox phone', 'ACTIVE'],
      ['Demo shop', 'ACTIVE'],
      ['Sandbox partner', 'ACTIVE'],
      ['Sandbox LinkedIn', 'ACTIVE'],
      ['Sandbox mail', 'ACTIVE'],
    ],
  );
  assert.match((await read('/v1/webhooks')).url, /\/receiver\/demo$/);
  const { result: agents } = await read('/v1/agents');
  assert.deepEqual([agents.length, agents[0].knowledge.length, (await read('/v1/knowledge')).result.length], [1, 3, 3]);
  assert.deepEqual(
    inboxes.map((inbox: Json) => inbox.default_agent),
    inboxes.map(() => agents[0]._id),
  );

  // A webhook that the company deletes afterwards is not created again.
  await database.sql('delete from webhooks');
  second.child.kill('SIGTERM');
  assert.equal(await second.ended, 0, second.stderr());
  const third = spawnProgram(t, { env });
  await readyUrl(third);
  assert.deepEqual(await database.sql('select * from webhooks'), []);
});

test('when several processes start at once on a new database, one of them creates the demo inbox and webhook, and the others wait for it', async () => {
  const { running, database, demo, sandboxUrl, sandbox } = await startPlatform();
  const wholeDemo = { url: sandboxUrl, mail: await sandbox('GET', '/sandbox/mail/servers') };
  const { kit } = running;
  const system = kit.database.system('upkeep');
  const [key] = await database.sql<{ _id: string }>('select _id from api_keys where company_id = $1', [demo._id]);
  for (let round = 0; round < 5; round += 1) {
    await database.sql('delete from inboxes');
    await database.sql('delete from webhooks');
    await storeWantedDemo(system, { companyId: demo._id, keyId: key?._id ?? '' });
    const start = { jwtSecret: kit.tokenSecret, baseUrl: kit.config.PUBLIC_URL, sandboxUrl, wholeDemo };
    await Promise.all([1, 2, 3].map(() => prepareFirstStart(kit, start)));
    assert.equal((await database.sql('select 1 from inboxes')).length, 5);
    assert.equal((await database.sql('select 1 from agents')).length, 1);
    assert.equal((await database.sql('select 1 from knowledge_items')).length, 3);
    assert.equal((await database.sql('select 1 from webhooks')).length, 1);
  }
});

test('a start waits for the first start of another process longer than statements wait for a lock', async () => {
  const { running, database, demo, sandboxUrl } = await startPlatform();
  const { kit } = running;
  const [key] = await database.sql<{ _id: string }>('select _id from api_keys where company_id = $1', [demo._id]);
  await database.sql('delete from webhooks');
  await storeWantedDemo(kit.database.system('upkeep'), { companyId: demo._id, keyId: key?._id ?? '' });
  const other = new pg.Client({ connectionString: database.ownerUrl });
  await other.connect();
  await other.query('select pg_advisory_lock(724113002)');
  const start = { jwtSecret: kit.tokenSecret, baseUrl: kit.config.PUBLIC_URL, sandboxUrl, wholeDemo: null };
  const waiting = prepareFirstStart(kit, start);
  // Statements of the platform wait two seconds.
  await waitUntil('the start to have waited for longer', async () => {
    const rows = await database.sql(`select from pg_stat_activity where datname = current_database()
      and application_name = 'parley lock' and backend_start < clock_timestamp() - interval '2.5 seconds'`);
    return rows.length > 0;
  });
  assert.equal((await database.sql('select 1 from webhooks')).length, 0);
  await other.end();
  assert.equal(await waiting, false);
  assert.equal((await database.sql('select 1 from webhooks')).length, 1);
});

test('the first start of a platform reports that it is ready only after its credentials file, its demo records and its worker exist', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const port = await findPort();
  const env = {
    DATA_DIR: await makeDataFolder(t),
    DATABASE_URL: database.url,
    SANDBOX: 'on',
    PORT: String(port),
  };
  const holder = new pg.Client({ connectionString: database.ownerUrl });
  await holder.connect();
  // The lock that the first start takes. Unlike a locked table it is waited for without a time limit.
  await holder.query('select pg_advisory_lock(724113002)');
  const program = spawnProgram(t, { env });
  const url = `http://127.0.0.1:${port}/health/ready`;
  const early = await waitUntil('the process to accept connections', () => fetch(url).catch(() => null));
  const { detail } = (await early.json()) as Json;
  assert.deepEqual([early.status, early.headers.get('retry-after'), detail], [503, '1', 'The process is starting']);
  await holder.end();
  await waitUntil('the process to be ready', async () => (await fetch(url)).ok);
  await access(join(env.DATA_DIR, 'credentials.json'));
  assert.equal((await database.sql('select * from webhooks')).length, 1);
  await readyUrl(program);
});

test('a start prints a link that logs the first owner in once, and where the phone page is, as soon as the pages that they open are built', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const folder = await makeDataFolder(t);
  // An installation without the builds that images bring, so that the start makes them.
  const hides = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { existsSync } = fs;
    fs.existsSync = (path) => !/web.(?:console|widget).dist/.test(path) && existsSync(path);
    syncBuiltinESMExports();`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hides)}`;
  const program = spawnProgram(t, {
    env: { DATA_DIR: folder, DATABASE_URL: database.url, SANDBOX: 'on', NODE_OPTIONS },
  });
  const printed = await waitUntil('the entrances', () => /link=([\w-]{43})\n.*(http\S+\/phone)/.exec(program.stdout()));
  for (const name of ['console', 'widget'])
    assert.ok(
      (await readdir(join(folder, 'web', name))).some((build) => /^[0-9a-f]{16}$/.test(build)),
      name,
    );
  const url = await readyUrl(program);
  const [, token = '', phone = ''] = printed;
  assert.ok(program.stdout().includes(` ${url}/console#link=${token}\n`));
  assert.equal((await fetch(phone)).status, 200);
  const open = (): Promise<Response> =>
    fetch(`${url}/v1/auth/session/link`, {
      method: 'POST',
      headers: { ...FROM_PAGE, 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
  const { user } = (await (await open()).json()) as Json;
  assert.equal(user.email, 'owner@parley.local');
  assert.equal((await open()).status, 400);
});

test('every start connects the inboxes of the demo with the sandbox, which has forgotten them and listens at other ports', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const env = { DATA_DIR: await makeDataFolder(t), DATABASE_URL: database.url, SANDBOX: 'on' };
  const first = spawnProgram(t, { env });
  await readyUrl(first);
  first.child.kill('SIGTERM');
  assert.equal(await first.ended, 0, first.stderr());
  const second = spawnProgram(t, { env });
  await readyUrl(second);
  const sandbox = await waitUntil('the address', () => /(http\S+)\/phone/.exec(second.stdout())?.[1]);
  const write = async (network: string, account: string, contact: string): Promise<Json> => {
    const body = JSON.stringify({ network, account, contact, name: 'Ana', subject: 'Oi', text: 'Oi' });
    const answer = await fetch(`${sandbox}/sandbox/phone/messages`, { method: 'POST', body });
    return answer.json();
  };
  // Until the inbox is connected no one takes the message.
  await waitUntil('the gateway', async () => (await write('partner', 'demo', '5511970000001')).delivered);
  await waitUntil('the account', async () => (await write('linkedin', 'acc_demo', 'ana-sa')).delivered);
  await write('mail', 'hello@sandbox.example', 'ana@client.example');
  const count = async () =>
    (await database.sql<{ channel: string }>('select distinct channel from conversations order by channel')).map(
      ({ channel }) => channel,
    );
  await waitUntil('all three', async () => (await count()).join() === 'EMAIL,PARTNER_API,PROFESSIONAL_NETWORK');
});

test('links are made only on a loopback address that no proxy shows to others, and only while the first credentials lie in their file', async () => {
  const { running, dataDir, url } = await startPlatform();
  const { kit } = running;
  assert.match((await makeFirstLink(kit, url)) ?? '', /\/console#link=[\w-]{43}$/);
  assert.equal(await makeFirstLink({ ...kit, config: { ...kit.config, loopback: false } }, url), null);
  assert.equal(await makeFirstLink({ ...kit, config: { ...kit.config, published: true } }, url), null);
  await rm(join(dataDir, 'credentials.json'));
  assert.equal(await makeFirstLink(kit, url), null);
});
