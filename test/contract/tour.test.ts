/** The tour of the README, as a newcomer pastes it into a terminal beside the real program. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Json } from '../support/platform.ts';
import { openTestDatabase } from '../support/database.ts';
import { makeDataFolder, readyUrl, spawnProgram } from '../support/process.ts';

const run = promisify(execFile);

/** Returns the commands of the section, in the order of the text. */
async function readCommands(): Promise<string> {
  const [, section = ''] = /\n## Two minutes\n(.*?)\n## /s.exec(await readFile('README.md', 'utf8')) ?? [];
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block).join('');
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });

/** Finds two ports in a row that are free, below those that the system gives to other programs. */
async function findTwoPorts(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

test("the README's tour works on a new installation, and the phone gets a text, each kind of file, a template and a bulk message", async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const data = await makeDataFolder(t);
  const port = await findTwoPorts();
  const env = { DATA_DIR: data, DATABASE_URL: database.url, SANDBOX: 'on', PORT: String(port) };
  await readyUrl(spawnProgram(t, { env }));

  // The commands name ./data and ./sandbox.
  const folder = dirname(data);
  await symlink(resolve('sandbox'), join(folder, 'sandbox'));
  await writeFile(join(folder, 'tour.sh'), `set -euo pipefail\n${await readCommands()}`);
  const { stdout } = await run('bash', ['tour.sh'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: String(port) },
  });
  for (const words of ['Hello, is anybody there?', 'Yes, we are here.', 'order *4821* is on its way', 'sentCount: 1'])
    assert.ok(stdout.includes(words), `the tour prints ${words}: ${stdout}`);

  const answer = await fetch(`http://127.0.0.1:${port + 1}/sandbox/messages`);
  const { messages } = (await answer.json()) as Json;
  assert.deepEqual(
    messages.map(({ to, type, body }: Json) => [to, type, body.image?.caption ?? null, body.audio?.voice ?? null]),
    [
      ['5511988887777', 'text', null, null],
      ['5511988887777', 'image', 'Still warm', null],
      ['5511988887777', 'audio', null, true],
      ['5511988887777', 'video', null, null],
      ['5511988887777', 'document', null, null],
      ['5511988887777', 'sticker', null, null],
      ['5511988887777', 'template', null, null],
      ['5511988881001', 'template', null, null],
    ],
  );
});
