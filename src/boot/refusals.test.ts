/** What keeps the program from starting: each ends in one sentence, exit code 1, and nothing left behind. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { dirname } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import {
  descendantsOf,
  livingOf,
  makeDataFolder,
  spawnProgram,
  type SpawnOptions,
} from '../../test/support/process.ts';
import { until } from '../../test/support/wait.ts';

let database: TestDatabase;
let taken: Server;
let takenPort: number;

before(async () => {
  database = await openTestDatabase();
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  takenPort = (taken.address() as AddressInfo).port;
});

after(async () => {
  taken.close();
  await database.close();
});

/** Starts the program and asserts that it ends with this one sentence. */
async function refuses(t: TestContext, sentence: RegExp, options: SpawnOptions): Promise<void> {
  const DATA_DIR = options.env?.['DATA_DIR'] ?? (await makeDataFolder(t));
  const program = spawnProgram(t, { ...options, env: { ...options.env, DATA_DIR } });
  let children: number[] = [];
  const watch = setInterval(() => {
    // Failure policy: a look that fails is followed by the next one.
    descendantsOf(program.pid).then(
      (pids) => (children = [...new Set([...children, ...pids])]),
      () => undefined,
    );
  }, 50);
  const code = await program.ended;
  clearInterval(watch);
  const words = program.stderr();
  assert.match(words, /^parley: [^\n]+\n$/, 'one line');
  assert.match(words, sentence);
  assert.doesNotMatch(words, /Error:|node:internal|\.ts:\d/, 'no stack trace');
  assert.ok(!(words + program.stdout()).includes('hunter2'), 'no password');
  assert.equal(code, 1);
  await until('its children to end', async () => (await livingOf(children)).length === 0);
}

/** One that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const withDatabase = (env: Record<string, string> = {}): SpawnOptions => ({
  env: { DATABASE_URL: database.url, SANDBOX: 'off', ...env },
});

describe('the program says in one sentence why it does not start', { concurrency: 2 }, () => {
  test('a setting that makes no sense is named with what it may be', (t) =>
    refuses(t, /: PORT must be a whole number, 0 to 65535$/m, { env: { PORT: 'eighty' } }));

  test('an unknown part of the program is answered with those that there are', (t) =>
    refuses(t, /: usage: node src\/main\.ts all \| api \| worker \| migrate \| keys \(not serve\)$/m, {
      purpose: 'serve',
    }));

  for (const purpose of ['api', 'worker']) {
    test(`the half ${purpose} without a database to share names DATABASE_URL`, (t) =>
      refuses(t, new RegExp(`: ${purpose} shares its database .*DATABASE_URL`), { purpose }));
  }

  test('a database that refuses connections is named by its address, without the password', async (t) => {
    const port = await freePort();
    const DATABASE_URL = `postgres://parley:hunter2@127.0.0.1:${port}/parley`;
    await refuses(t, new RegExp(`the database at 127\\.0\\.0\\.1:${port} can not be reached .*DATABASE_URL`), {
      env: { DATABASE_URL },
    });
  });

  test('a database that takes the connection and never speaks is given up', (t) =>
    refuses(t, /the database at 127\.0\.0\.1:\d+ can not be reached \(ETIMEDOUT\)/, {
      env: { DATABASE_URL: `postgres://parley:hunter2@127.0.0.1:${takenPort}/parley` },
    }));

  test('a wrong password and an unknown database are told as what the database refuses', async (t) => {
    const wrong = new URL(database.url);
    wrong.password = 'hunter2';
    await refuses(
      t,
      /the database at \S+ refuses: password authentication failed/,
      withDatabase({ DATABASE_URL: wrong.href }),
    );
    const unknown = new URL(database.url);
    unknown.pathname = '/nowhere';
    await refuses(t, /refuses: database "nowhere" does not exist/, withDatabase({ DATABASE_URL: unknown.href }));
  });

  test('a half that finds an empty database names what is missing and the way to get it', async (t) => {
    await database.sql('create database left_empty');
    t.after(() => database.sql('drop database left_empty with (force)'));
    const DATABASE_URL = new URL('/left_empty', database.url).href;
    for (const purpose of ['api', 'worker']) {
      await refuses(t, /the database lacks 0001_companies\.sql, .*; run npm run migrate$/m, {
        purpose,
        env: { DATABASE_URL },
      });
    }
  });

  test('code that can not be loaded ends it, with the database and the sandbox that it has begun', (t) => {
    const breaks = `import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => {
        if (url.endsWith('/boot/run.ts')) throw new Error('this file is damaged');
        return next(url, context);
      } });`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(breaks)}`;
    return refuses(t, /this file is damaged/, { env: { NODE_OPTIONS } });
  });

  test('a taken port is named', async (t) => {
    // The one beside the taken port may be taken, too.
    const SANDBOX_PORT = String(await freePort());
    await refuses(
      t,
      new RegExp(`port ${takenPort} on 127\\.0\\.0\\.1 is taken; set PORT`),
      withDatabase({ PORT: String(takenPort), SANDBOX: 'on', SANDBOX_PORT }),
    );
  });

  test('a taken port of the sandbox is named by its setting', (t) =>
    refuses(
      t,
      /the sandbox did not start; set SANDBOX_PORT/,
      withDatabase({ SANDBOX: 'on', SANDBOX_PORT: String(takenPort) }),
    ));

  test('a data folder that is a file, or lies below one, is named', async (t) => {
    const file = await makeDataFolder(t);
    await writeFile(file, '');
    await refuses(t, /DATA_DIR \S+ is not a folder/, withDatabase({ DATA_DIR: file }));
    await refuses(t, /DATA_DIR \S+ is not a folder/, withDatabase({ DATA_DIR: `${file}/below` }));
  });

  test('secrets that can not be read are never replaced', async (t) => {
    const folder = await makeDataFolder(t);
    await mkdir(folder);
    await writeFile(`${folder}/secrets.json`, '{"encryptionKey": "hunter2');
    await refuses(
      t,
      /secrets\.json can not be read .*; restore it, or set ENCRYPTION_KEY/,
      withDatabase({ DATA_DIR: folder }),
    );
  });

  test('a data folder without permission is named', async (t) => {
    if (process.platform === 'win32') return t.skip('permissions are another matter there');
    const folder = await makeDataFolder(t);
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { mode: 0o555 });
    // Root may write anywhere, so it becomes nobody, where nobody may read the program at all.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    if (uid !== undefined && !mayRead(uid)) return t.skip('nobody may not read the program here');
    await refuses(t, /no permission: .*EACCES/, {
      ...withDatabase({ DATA_DIR: folder }),
      ...(uid === undefined ? {} : { uid }),
    });
  });

  for (const [what, size, env] of [
    ['the secrets', '0', { DATABASE_URL: 'postgres://parley@127.0.0.1:1/parley' }],
    ['the database', '8m', {}],
  ] as const) {
    test(`a disk too full for ${what} is told as full`, async (t) => {
      const folder = await makeDataFolder(t);
      await mkdir(folder);
      const through = fullDisk(folder, size);
      if (spawnSync(through[0] ?? '', [...through.slice(1), 'true']).status !== 0)
        return t.skip('no small disk can be mounted here');
      await refuses(t, /the disk that holds \S+ is full/, { env: { ...env, DATA_DIR: folder }, through });
    });
  }
});

test('a process whose encryption key is not the one that sealed what is stored does not start', async (t) => {
  await database.sql(
    `insert into platform_state (key, value) values ('encryption.key', 'of another key')
      on conflict (key) do update set value = excluded.value`,
  );
  await refuses(t, /encrypted with another ENCRYPTION_KEY: give every process the same one/, withDatabase());
});

test('a process whose JWT_SECRET neither signs the tokens of the database nor replaces it does not start', async (t) => {
  await database.sql(
    `insert into platform_state (key, value) values ('token.secret', '{"current": "of another secret", "replaced": []}')
      on conflict (key) do update set value = excluded.value`,
  );
  const sentence =
    /signed with another JWT_SECRET: give every process the same one .* or replace it by naming it as JWT_SECRET_PREVIOUS$/m;
  for (const settings of [{}, { JWT_SECRET_PREVIOUS: 'not the one that the database knows' }]) {
    // Each process makes an encryption key of its own here, which is refused first where another one is known.
    await database.sql(`delete from platform_state where key = 'encryption.key'`);
    await refuses(t, sentence, withDatabase(settings));
  }
});

const mayRead = (uid: number): boolean =>
  spawnSync(process.execPath, ['-e', `require('fs').readFileSync(${JSON.stringify(import.meta.filename)})`], { uid })
    .status === 0;

/** A program run through this sees a disk of `size` bytes on the folder; 0 is one page that is taken already. */
function fullDisk(folder: string, size: string): string[] {
  const mount = size === '0' ? `size=4k tmpfs "$0" && head -c 4096 /dev/zero > "$0/taken"` : `size=${size} tmpfs "$0"`;
  return [
    'unshare',
    '--user',
    '--map-root-user',
    '--mount',
    'sh',
    '-c',
    `mount -t tmpfs -o ${mount}; exec "$@"`,
    folder,
  ];
}
