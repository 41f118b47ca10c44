/** Adds a channel to a copy of the project, and runs the contract of channels and the channel's own tests there. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { exampleChannel } from './example-channel/index.ts';

const ROOT = join(import.meta.dirname, '../..');
/**
 * The folders in COPIED contain modules, whose imports Node resolves from their real paths, so links would lead out of the copy. The files
 * in LINKED are only read.
 */
const COPIED = ['src', 'test/support', 'test/contract'];
const LINKED = ['node_modules', 'migrations', 'sql', 'sandbox', 'web', 'docs', 'package.json', 'openapi.json'];

const copy = await mkdtemp(join(tmpdir(), 'parley-copy-'));
after(() => rm(copy, { recursive: true, force: true }));
for (const path of COPIED) await cp(join(ROOT, path), join(copy, path), { recursive: true });
for (const path of LINKED) await symlink(join(ROOT, path), join(copy, path));
await addChannel();

/** Adds the channel as docs/channel.md says: its folder, and its entry in the registry. */
async function addChannel(): Promise<void> {
  const source = await readFile(join(ROOT, 'test/contract/example-channel/index.ts'), 'utf8');
  const moved = source.replaceAll(`'../../../src/channels/`, `'../`).replaceAll(`'../../../src/`, `'../../`);
  await mkdir(join(copy, 'src/channels/example'));
  await writeFile(join(copy, 'src/channels/example/index.ts'), moved);
  const registry = join(copy, 'src/channels/registry.ts');
  const listed = await readFile(registry, 'utf8');
  const entry = `import { exampleChannel } from './example/index.ts';\n\n$&exampleChannel, `;
  const added = listed.replace(/^const CHANNELS = \[/m, entry);
  assert.notEqual(added, listed);
  await writeFile(registry, added);
}

/** Runs a file of tests in the copy, and returns its output once all its tests have passed. */
async function runInCopy(file: string): Promise<string> {
  // This variable is removed, because with it the child would report to the runner of this file.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', file], { cwd: copy, env });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(code, 0, output.replaceAll(/^ *ok .*\n/gm, '') + errors);
  return output;
}

test('a channel with settings is added by its folder and its entry in the registry alone', async () => {
  const output = await runInCopy('test/contract/channels.test.ts');
  assert.match(output, new RegExp(`${exampleChannel.name}: an inbox can be created and read`));
});

test('a network that calls an inbox at a path of its own needs its secret, and reaches no other inbox', async () => {
  await runInCopy('test/contract/example-channel/calls.ts');
});
