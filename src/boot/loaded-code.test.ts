/** Tests that an older Node is refused with an explanation, and that the process does not load parts of Node that it never uses, which take megabytes each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../../test/support/database.ts';
import { makeDataFolder, readyUrl, spawnProgram } from '../../test/support/process.ts';

// Node strips types with amaro. Its HTTP client (undici) is loaded by every import of node:http in an ES module.
const UNUSED = /internal\/deps\/(?:amaro|undici)/;

/** A module that prints, when the program ends, the parts of Node that it has loaded. */
const REPORT = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  process.on('exit', () => writeSync(1, process.moduleLoadList.join('\\n')));
`)}`;

test('a program that finds its compiled code in the cache loads neither the code that strips types nor the HTTP client of Node', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: await makeDataFolder(t),
    SANDBOX: 'off',
    NODE_OPTIONS: `--import=${REPORT}`,
  };
  // The first program stores the code that it has compiled when it ends.
  for (const isCached of [false, true]) {
    const program = spawnProgram(t, { env });
    await readyUrl(program);
    program.child.kill('SIGTERM');
    assert.equal(await program.ended, 0, program.stderr());
    const loaded = program.stdout().split('\n');
    assert.ok(loaded.includes('NativeModule http'), program.stdout());
    if (isCached)
      assert.deepEqual(
        loaded.filter((name) => UNUSED.test(name)),
        [],
      );
  }
});

test('an older Node is told which one is needed, in one sentence', async (t) => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(old)}`;
  const program = spawnProgram(t, { env: { NODE_OPTIONS } });
  assert.equal(await program.ended, 1);
  const sentence = 'parley: this is Node 20.20.2; run it through npm (npm start), which brings Node 26 along\n';
  assert.deepEqual([program.stdout(), program.stderr()], ['', sentence]);
});
