/** Tests of the command `npm run keys`. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { startPlatform, type Json } from '../../test/support/platform.ts';
import { listDescendants, listLiving, makeDataFolder, readyUrl, spawnProgram } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { loadConfig } from '../config.ts';
import { runKeys } from './keys.ts';

type Env = Record<string, string>;
/** Runs `npm run keys` with these arguments and returns its output. */
type Keys = (...words: string[]) => Promise<string>;

const platform = await startPlatform();
const { database, demo } = platform;

/** Runs the command in its own process and checks that it exits with 0 and prints no error. */
const runAsProcess =
  (t: TestContext, env: Env): Keys =>
  async (...words) => {
    const program = spawnProgram(t, { purpose: 'keys', words, env });
    assert.equal(await program.ended, 0, program.stderr());
    assert.equal(program.stderr(), '');
    return program.stdout();
  };

/** Runs the command inside the process of the test, which saves the second that a new process takes to start. */
const runInProcess =
  (env: Env): Keys =>
  (...words) =>
    runKeys(loadConfig(env), words);

const create = async (keys: Keys, ...words: string[]): Promise<string> =>
  (await keys('create', '--name', 'From the server', ...words)).trimEnd();

async function list(keys: Keys, ...words: string[]): Promise<Json[]> {
  const lines = (await keys('list', ...words)).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Json);
}

async function getStatus(url: string, token: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(`${url}/v1/webhooks`, { headers: { authorization: `Bearer ${token}`, ...headers } });
  await response.arrayBuffer();
  return response.status;
}

/** Finds the id of a key in the list of the command, by the last letters of its token. */
async function findKeyId(keys: Keys, token: string, ...words: string[]): Promise<string> {
  const found = (await list(keys, ...words)).find((key) => key.hint === token.slice(-4));
  assert.ok(found, 'the key is not in the list');
  return found._id as string;
}

/** Creates, lists and revokes keys and checks the effect on the platform that runs at `url`. */
async function checkKeys(keys: Keys, { url, company }: { url: string; company: string }): Promise<void> {
  const token = await create(keys, '--company', company, '--scopes', 'webhooks:read, contacts:*');
  assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/, 'the token and nothing else is printed');
  assert.equal(await getStatus(url, token), 200);
  const global = await create(keys, '--global', '--expires', '2099-01-31T00:00:00Z', '--short');
  assert.match(global, /^pk_[\w-]{43}$/);
  assert.equal(await getStatus(url, global, { 'x-company-id': company }), 200);

  const entries = (await keys('audit', '--global'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json);
  assert.deepEqual(
    [entries[0].action, entries[0].company, entries[0].actor.name],
    ['api-keys.create', null, 'npm run keys'],
  );

  const text = await keys('list', '--company', company);
  for (const part of token.split('.').slice(1)) assert.ok(!text.includes(part), 'the list shows a token');
  const [newest] = await list(keys, '--company', company);
  assert.deepEqual(
    [newest.name, newest.type, newest.company, newest.scopes, newest.revoked_at],
    ['From the server', 'company', company, ['webhooks:read', 'contacts:*'], null],
  );
  const [newestGlobal] = await list(keys, '--global');
  assert.deepEqual(
    [newestGlobal.type, newestGlobal.company, newestGlobal.scopes, newestGlobal.expires_at],
    ['global', null, ['*'], '2099-01-31T00:00:00.000Z'],
  );

  const id = await findKeyId(keys, token, '--company', company);
  const [revoked] = (await keys('revoke', id, '--company', company)).trimEnd().split('\n');
  await waitUntil('the revoked token to be refused', async () => (await getStatus(url, token)) === 401);
  assert.notEqual((JSON.parse(revoked ?? '') as Json).revoked_at, null);
  assert.equal(await getStatus(url, global, { 'x-company-id': company }), 200);
}

test('keys can be created, listed and revoked on an embedded database, whether the platform runs or not', async (t) => {
  const env = { DATA_DIR: await makeDataFolder(t), SANDBOX: 'off' };
  const first = spawnProgram(t, { env });
  await readyUrl(first);
  const credentials = JSON.parse(await readFile(join(env.DATA_DIR, 'credentials.json'), 'utf8')) as Json;
  const company = credentials.company_id as string;

  const keys = runInProcess(env);
  const whose = ['--company', company];

  const leaving = await create(keys, ...whose);
  const id = await findKeyId(keys, leaving, ...whose);
  const running = listDescendants(first.pid);
  first.child.kill('SIGTERM');
  assert.equal(await first.ended, 0);
  await waitUntil('the database server to be gone', () => listLiving(running).length === 0);
  let coming = '';
  await t.test('while the platform is stopped, the command starts the database and stops it again', async (inner) => {
    coming = await create(runAsProcess(inner, env), ...whose);
    await keys('revoke', id, ...whose);
    const files = await readdir(join(env.DATA_DIR, 'postgres/cluster/data'));
    assert.ok(files.includes('PG_VERSION') && !files.includes('postmaster.pid'));
  });
  await t.test(
    'a key that was created while the platform was stopped works after its next start, and a key that was revoked is refused',
    async (inner) => {
      const second = spawnProgram(inner, { env });
      const again = await readyUrl(second);
      assert.deepEqual(await Promise.all([coming, leaving].map((token) => getStatus(again, token))), [200, 401]);
      second.child.kill('SIGTERM');
      await second.ended;
    },
  );
});

describe('keys on an external PostgreSQL', () => {
  const keys = runInProcess({ DATABASE_URL: database.url, DATA_DIR: platform.dataDir });

  test('keys can be created, listed and revoked on an external PostgreSQL while the platform runs', () =>
    checkKeys(keys, { url: platform.url, company: demo._id }));

  test('the secret that signs tokens may come from the environment instead of the data folder', async (t) => {
    const { jwtSecret } = JSON.parse(await readFile(join(platform.dataDir, 'secrets.json'), 'utf8')) as Json;
    const env = { DATABASE_URL: database.url, DATA_DIR: await makeDataFolder(t), JWT_SECRET: jwtSecret as string };
    const token = await create(runAsProcess(t, env), '--company', demo._id);
    assert.equal(await getStatus(platform.url, token), 200);
  });

  test('the audit log records the creation and the revocation of a key, with the command as the actor', async () => {
    const company = await platform.createCompany();
    const whose = ['--company', company._id];
    const token = await create(keys, ...whose);
    await keys('revoke', await findKeyId(keys, token, ...whose), ...whose);
    const { body } = await platform.call(200, 'GET', '/v1/audit', { key: company.key });
    assert.deepEqual(
      (body.result as Json[]).map(({ action, actor, address }) => [action, actor, address]),
      ['api-keys.delete', 'api-keys.create'].map((action) => [
        action,
        { type: 'SYSTEM', _id: null, name: 'npm run keys' },
        null,
      ]),
    );
  });
});

describe('a keys command that fails explains why', () => {
  const USAGE = /^usage:(\n {2}npm run keys -- [^\n]+){4}$/;
  const SOME = ['create', '--name', 'x', '--global'];

  /** Checks that the command fails with this message and does not create a data folder. */
  async function assertRefused(t: TestContext, words: string[], expected: RegExp, env: Env = {}): Promise<void> {
    const DATA_DIR = env['DATA_DIR'] ?? (await makeDataFolder(t));
    const keys = runInProcess({ DATABASE_URL: database.url, ...env, DATA_DIR });
    await assert.rejects(
      keys(...words),
      ({ message }: Error) => expected.test(message) || assert.match(message, expected),
    );
    if (env['DATA_DIR'] === undefined) await assert.rejects(readdir(DATA_DIR), { code: 'ENOENT' });
  }

  for (const words of [
    [],
    ['destroy', '--global'],
    ['toString', '--global'],
    ['create', '--global'],
    ['create', '--global', '--name', ' '],
    ['create', '--name', 'x'],
    ['create', '--name', 'x', '--global', '--company', 'f'.repeat(24)],
    ['create', 'x', '--name', 'x', '--global'],
    ['create', '--name', 'x', '--global', '--scope', 'contacts:read'],
    ['create', '--name', '--global'],
    ['list'],
    ['list', '--company'],
    ['list', 'everything', '--global'],
    ['revoke', '--global'],
    ['revoke', 'a', 'b', '--global'],
  ]) {
    test(`invalid arguments are answered with the usage text: keys ${words.join(' ')}`, (t) =>
      assertRefused(t, words, USAGE));
  }

  test('a failed keys command exits with 1 and prints neither a stack trace nor a password', async (t) => {
    const DATABASE_URL = 'postgres://parley:hunter2@localhost:9/parley';
    for (const [words, expected] of [
      [['create'], /^parley: usage:(\n {2}npm run keys -- [^\n]+){4}\n$/],
      [
        ['list', '--global'],
        /^parley: the database at localhost:9 cannot be reached \(ECONNREFUSED: nothing listens there\); check DATABASE_URL\n$/,
      ],
    ] as const) {
      const env = { DATABASE_URL, DATA_DIR: await makeDataFolder(t) };
      const program = spawnProgram(t, { purpose: 'keys', words: [...words], env });
      assert.equal(await program.ended, 1);
      assert.equal(program.stdout(), '');
      assert.match(program.stderr(), expected);
    }
  });

  test('an unknown scope or an invalid expiry is named in the error message', async (t) => {
    await assertRefused(
      t,
      [...SOME, '--scopes', 'contacts:read,contacts:fly'],
      /^no such scope: contacts:fly; there are \*, .*$/,
    );
    for (const end of ['2020-01-01', 'soon']) {
      await assertRefused(t, [...SOME, '--expires', end], /^--expires is no moment in the future$/);
    }
  });

  test('an unknown company or key is named in the error message', async (t) => {
    await assertRefused(t, ['list', '--company', 'f'.repeat(24)], /^no company f{24}$/);
    await assertRefused(t, ['revoke', 'nonsense', '--global'], /^no key nonsense$/);
    // A key of another company is unknown, too.
    const other = await platform.createCompany();
    await assertRefused(t, ['revoke', other.keyId, '--global'], /^no key [0-9a-f]{24}$/);
    await assertRefused(t, ['revoke', other.keyId, '--company', demo._id], /^no key [0-9a-f]{24}$/);
  });

  test('the keys command refuses an empty data folder instead of installing the platform there', (t) =>
    assertRefused(t, SOME, /^nothing is installed in \S+: set DATA_DIR or DATABASE_URL .*$/, { DATABASE_URL: '' }));

  test('no key is created when the secret that signs tokens is not available, because such a key would not work', (t) =>
    assertRefused(t, SOME, /^\S+ has no secrets\.json: set DATA_DIR or JWT_SECRET .*$/));

  test('no key is created with another JWT_SECRET than the one that the platform uses', (t) =>
    assertRefused(t, SOME, /^tokens are signed with another JWT_SECRET: .*$/, { JWT_SECRET: 'x'.repeat(43) }));

  test('no key is created with the secrets file of another installation', async (t) => {
    const DATA_DIR = await makeDataFolder(t);
    await mkdir(DATA_DIR);
    const names = ['encryptionKey', 'jwtSecret', 'appSecret', 'verifyToken'];
    const secrets = Object.fromEntries(names.map((name) => [name, 'x'.repeat(43)]));
    await writeFile(join(DATA_DIR, 'secrets.json'), JSON.stringify(secrets));
    const count = async (): Promise<number> => (await database.sql('select _id from api_keys')).length;
    const before = await count();
    await assertRefused(t, SOME, /another ENCRYPTION_KEY/, { DATA_DIR });
    assert.equal(await count(), before);
  });
});
