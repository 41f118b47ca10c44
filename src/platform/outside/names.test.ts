/** Names of tenants are found by a real name server, and one that never answers costs others nothing. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startNameServer } from '../../../test/support/name-server.ts';
import { createNames } from './names.ts';

test('both kinds of addresses of a name are found, also while the server answers for one kind only', async (context) => {
  const server = await startNameServer(context);
  const names = createNames([server.address]);
  server.names.set('both.test', ['198.41.0.4', '2606:4700::5']);
  server.names.set('six.test', ['2606:4700::5']);
  assert.deepEqual(await names.find('Both.test'), ['198.41.0.4', '2606:4700::5']);
  assert.deepEqual(await names.find('six.test'), ['2606:4700::5']);
});

test('while two hundred look-ups get no answer, other names are found at once, and each of the silent ones fails', async (context) => {
  const server = await startNameServer(context);
  const names = createNames([server.address]);
  server.names.set('good.test', ['198.41.0.4']);
  const failures: unknown[] = [];
  const silent = Array.from({ length: 200 }, (_, index) => {
    server.names.set(`silent-${index}.test`, null);
    return names.find(`silent-${index}.test`).catch((error: unknown) => {
      failures.push((error as NodeJS.ErrnoException).code);
    });
  });
  assert.deepEqual(await names.find('good.test'), ['198.41.0.4']);
  assert.deepEqual(failures, []);
  await Promise.all(silent);
  assert.deepEqual(new Set(failures), new Set(['ETIMEOUT']));
});

test('a name is asked for once while it is looked for, and after a failure', async (context) => {
  const server = await startNameServer(context);
  const names = createNames([server.address], { hosts: '/nowhere', resolv: '/nowhere' });
  for (let count = 0; count < 3; count += 1)
    await Promise.all(Array.from({ length: 5 }, () => assert.rejects(names.find('gone.test'), { code: 'ENOTFOUND' })));
  assert.deepEqual(server.asked, ['gone.test']);
});

test('names of the system are its own, and one that does not exist is looked for in its domains', async (context) => {
  const server = await startNameServer(context);
  const folder = await mkdtemp(join(tmpdir(), 'parley-names-'));
  context.after(() => rm(folder, { recursive: true }));
  const files = { hosts: join(folder, 'hosts'), resolv: join(folder, 'resolv.conf') };
  await writeFile(files.hosts, '# A comment\n10.0.0.7\tReceiver receiver.test # ours\nfd00::7 receiver\nnonsense\n');
  await writeFile(files.resolv, 'domain other.test\nsearch a.test b.test\nnameserver 192.0.2.1\n');
  const names = createNames([server.address], files);
  server.names.set('service.b.test', ['10.0.0.8']);
  assert.deepEqual(await names.find('receiver'), ['10.0.0.7', 'fd00::7']);
  assert.deepEqual(await names.find('service'), ['10.0.0.8']);
  await assert.rejects(names.find('service.'), { code: 'ENOTFOUND' });
  assert.deepEqual(server.asked, ['service', 'service.a.test', 'service.b.test', 'service']);
  assert.deepEqual(await names.find('a.localhost'), ['127.0.0.1', '::1']);
});
