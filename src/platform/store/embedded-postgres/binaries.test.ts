import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { findPostgresBinaries, linkLibraries } from './binaries.ts';

test('when a machine cannot run PostgreSQL in any way, the error says so', async (t) => {
  const refused = [{ prefix: ['/nonexistent/launcher'] }];
  await assert.rejects(findPostgresBinaries(await makeFolder(t), refused), /cannot run on this machine .*glibc/);
});

test('missing links between the shared libraries of PostgreSQL are created', async (t) => {
  const native = await makeNativeFolder(t);
  for (const round of ['first', 'again']) {
    assert.deepEqual(await linkLibraries(native, join(native, 'elsewhere')), {}, round);
    assert.equal(await readFile(join(native, 'lib', 'libx.so.1'), 'utf8'), 'library');
  }
  assert.equal(await readlink(join(native, 'lib', 'libx.so.1')), 'libx.so.1.2');
});

test('when the folder of the PostgreSQL package is not writable, the links to its libraries are created in the data folder, and those without links are found, too', async (t) => {
  if (process.getuid?.() === 0 || process.platform !== 'linux')
    return t.skip('root may write anywhere; run as another user on Linux');
  const native = await makeNativeFolder(t);
  await chmod(join(native, 'lib'), 0o555);
  const elsewhere = join(await makeFolder(t), 'lib');
  assert.deepEqual(await linkLibraries(native, elsewhere), {
    LD_LIBRARY_PATH: `${elsewhere}:${join(native, 'lib')}`,
  });
  await chmod(join(native, 'lib'), 0o755);
  assert.equal(await readFile(join(elsewhere, 'libx.so.1'), 'utf8'), 'library');
});

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-binaries-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a folder like that of the npm package: a library and the list of links to it. */
async function makeNativeFolder(t: TestContext): Promise<string> {
  const native = join(await makeFolder(t), 'native');
  await mkdir(join(native, 'lib'), { recursive: true });
  await writeFile(join(native, 'lib', 'libx.so.1.2'), 'library');
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  return native;
}
