/**
 * Situations in which the platform does not start: it explains why in one sentence and leaves no child process behind. Where only a process of its own
 * shows that, the real program is started, which prints the sentence and exits with 1.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import http from 'node:http';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { findPort } from '../../test/support/ports.ts';
import { makeDataFolder } from '../../test/support/process.ts';
import { assertRefused, assertStartRefused } from '../../test/support/refused-start.ts';

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

const withDatabase = (env: Record<string, string> = {}): { env: Record<string, string> } => ({
  env: { DATABASE_URL: database.url, SANDBOX: 'off', ...env },
});

describe('the program explains in one sentence why it does not start', { concurrency: 2 }, () => {
  test('an invalid setting is named together with the values that it may have', (t) =>
    assertRefused(t, /: PORT must be a whole number, 0 to 65535$/m, { env: { PORT: 'eighty' } }));

  test('an unknown command is answered with the list of commands', (t) =>
    assertRefused(
      t,
      /: usage: node src\/launch\.js all \| api \| worker \| migrate \| keys \| recount \(not serve\)$/m,
      {
        purpose: 'serve',
      },
    ));

  for (const purpose of ['api', 'worker'] as const) {
    test(`the command ${purpose} without a shared database asks for DATABASE_URL`, (t) =>
      assertStartRefused(t, new RegExp(`^${purpose} shares its database .*DATABASE_URL`), { purpose }));
  }

  test('the error names the address of a database that refuses connections, without the password', async (t) => {
    const port = await findPort();
    const DATABASE_URL = `postgres://parley:hunter2@127.0.0.1:${port}/parley`;
    await assertStartRefused(
      t,
      new RegExp(`the database at 127\\.0\\.0\\.1:${port} cannot be reached .*nothing listens there.*DATABASE_URL`),
      {
        env: { DATABASE_URL },
      },
    );
  });

  test('the error says what listens at DATABASE_URL when that is no PostgreSQL', async (t) => {
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const found = [
      { port: (server.address() as AddressInfo).port, does: 'is an HTTP server' },
      { port: takenPort, does: 'accepts connections and never answers' },
    ];
    await Promise.all(
      found.map(({ port, does }) =>
        assertStartRefused(
          t,
          new RegExp(`^DATABASE_URL names no PostgreSQL: what listens at 127\\.0\\.0\\.1:${port} ${does}$`),
          { env: { DATABASE_URL: `postgres://parley:hunter2@127.0.0.1:${port}/parley` } },
        ),
      ),
    );
  });

  test('the error for a wrong password or an unknown database repeats what the database server says', async (t) => {
    const wrong = new URL(database.url);
    wrong.password = 'hunter2';
    await assertStartRefused(
      t,
      /the database at \S+ refuses: password authentication failed/,
      withDatabase({ DATABASE_URL: wrong.href }),
    );
    const unknown = new URL(database.url);
    unknown.pathname = '/nowhere';
    await assertStartRefused(
      t,
      /refuses: database "nowhere" does not exist/,
      withDatabase({ DATABASE_URL: unknown.href }),
    );
  });

  test('a wrong setting of a channel is named before the database is used', (t) =>
    assertStartRefused(t, /^WAP_GRAPH_URL must be a URL that starts with http:\/\/ or https:\/\/$/, {
      env: { WAP_GRAPH_URL: 'graph.example', DATABASE_URL: `postgres://parley:hunter2@127.0.0.1:${takenPort}/parley` },
    }));

  test('an api or worker process on an empty database says what is missing and names the command that creates it', async (t) => {
    await database.sql('create database left_empty');
    t.after(() => database.sql('drop database left_empty with (force)'));
    const DATABASE_URL = new URL('/left_empty', database.url).href;
    for (const purpose of ['api', 'worker'] as const) {
      await assertStartRefused(
        t,
        /the database lacks 0001_companies\.sql, \S+, \S+ and \d+ more; run npm run migrate$/m,
        {
          purpose,
          env: { DATABASE_URL },
        },
      );
    }
  });

  test('when code cannot be loaded, the program ends together with the database and the sandbox that it has started', (t) => {
    const breaks = `import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => {
        if (url.endsWith('/boot/run.ts')) throw new Error('this file is damaged');
        return next(url, context);
      } });`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(breaks)}`;
    return assertRefused(t, /this file is damaged/, { env: { NODE_OPTIONS } });
  });

  test('the error names each taken port: the one of the platform, the one of the sandbox, or both', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    t.after(() => other.close());
    const SANDBOX_PORT = String((other.address() as AddressInfo).port);
    const free = String(await findPort());
    const PORT = String(takenPort);
    const own = `port ${PORT} on 127\\.0\\.0\\.1`;
    const sandbox = `port ${SANDBOX_PORT} on 127\\.0\\.0\\.1, which the sandbox listens on,`;
    for (const [ports, sentence] of [
      [{ PORT, SANDBOX_PORT: free }, `^${own} is taken; set PORT`],
      [{ PORT: free, SANDBOX_PORT }, `^${sandbox} is taken; set SANDBOX_PORT`],
      [{ PORT, SANDBOX_PORT }, `^${own} and ${sandbox} are taken; set PORT`],
    ] as const)
      await assertStartRefused(t, new RegExp(sentence), { env: { SANDBOX: 'on', ...ports } });
  });

  test('a HOST that is no address of this machine is refused before anything is made', async (t) => {
    const DATA_DIR = await makeDataFolder(t);
    await assertStartRefused(t, /^HOST 192\.0\.2\.1 is no address of this machine/, {
      env: { DATA_DIR, HOST: '192.0.2.1' },
    });
    assert.equal(existsSync(DATA_DIR), false);
  });

  test('the error names a data folder that is a file or lies below a file', async (t) => {
    const file = await makeDataFolder(t);
    await writeFile(file, '');
    await assertStartRefused(t, /DATA_DIR \S+ is not a folder/, withDatabase({ DATA_DIR: file }));
    await assertStartRefused(t, /DATA_DIR \S+ is not a folder/, withDatabase({ DATA_DIR: `${file}/below` }));
  });

  test('a data folder below /proc, where the system makes and takes none, is refused at once and named', async (t) => {
    if (!existsSync('/proc/self')) return t.skip('this system has no /proc');
    for (const DATA_DIR of ['/proc/nope', '/proc/nope/below', '/proc'])
      await assertStartRefused(
        t,
        new RegExp(`^DATA_DIR ${DATA_DIR} cannot be made or written`),
        withDatabase({ DATA_DIR }),
      );
  });

  test('a secrets file that cannot be read is never replaced', async (t) => {
    const folder = await makeDataFolder(t);
    await mkdir(folder);
    await writeFile(`${folder}/secrets.json`, '{"encryptionKey": "hunter2');
    await assertStartRefused(
      t,
      /secrets\.json cannot be read .*; restore it, or set ENCRYPTION_KEY/,
      withDatabase({ DATA_DIR: folder }),
    );
  });

  test('the error names a data folder that the program has no permission to use', async (t) => {
    if (process.platform === 'win32') return t.skip('permissions are another matter there');
    const folder = await makeDataFolder(t);
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { mode: 0o555 });
    // Root may write anywhere, so the program runs as the user no one, if that user may read the files of the program.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    if (uid !== undefined && !mayRead(uid)) return t.skip('nobody may not read the program here');
    await assertRefused(t, /no permission: .*EACCES/, {
      ...withDatabase({ DATA_DIR: folder }),
      ...(uid === undefined ? {} : { uid }),
    });
  });

  for (const [what, size, env] of [
    ['the secrets', '0', { DATABASE_URL: 'postgres://parley@127.0.0.1:1/parley' }],
    ['the database', '8m', {}],
  ] as const) {
    test(`when the disk is too full for ${what}, the error says that the disk is full`, async (t) => {
      const folder = await makeDataFolder(t);
      await mkdir(folder);
      const through = mountFullDisk(folder, size);
      if (spawnSync(through[0] ?? '', [...through.slice(1), 'true']).status !== 0)
        return t.skip('no small disk can be mounted here');
      await assertRefused(t, /the disk that holds \S+ is full/, { env: { ...env, DATA_DIR: folder }, through });
    });
  }
});

test('a process does not start when the stored data is encrypted with another encryption key than its own', async (t) => {
  await database.sql(
    `insert into platform_state (key, value) values ('encryption.key', 'of another key')
      on conflict (key) do update set value = excluded.value`,
  );
  await assertStartRefused(t, /encrypted with another ENCRYPTION_KEY: give every process the same one/, withDatabase());
});

test('a process does not start when its JWT_SECRET differs from the one in use and JWT_SECRET_PREVIOUS does not name that one', async (t) => {
  await database.sql(
    `insert into platform_state (key, value) values ('token.secret', '{"current": "of another secret", "replaced": []}')
      on conflict (key) do update set value = excluded.value`,
  );
  const sentence =
    /signed with another JWT_SECRET: give every process the same one .* or replace it by naming it as JWT_SECRET_PREVIOUS$/m;
  for (const settings of [{}, { JWT_SECRET_PREVIOUS: 'not the one that the database knows' }]) {
    // The encryption key is checked first, and each process of this test has a new one, which would refuse the start already.
    await database.sql(`delete from platform_state where key = 'encryption.key'`);
    await assertStartRefused(t, sentence, withDatabase(settings));
  }
});

const mayRead = (uid: number): boolean =>
  spawnSync(process.execPath, ['-e', `require('fs').readFileSync(${JSON.stringify(import.meta.filename)})`], { uid })
    .status === 0;

/** Returns the beginning of a command that mounts a small disk of `size` on the folder. With size 0 the disk is full from the start. */
function mountFullDisk(folder: string, size: string): string[] {
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
