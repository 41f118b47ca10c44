/** Runs the commands that a document shows, as a newcomer pastes them into a terminal beside the real program. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { openTestDatabase } from './database.ts';
import type { Json } from './platform.ts';
import { makeDataFolder, readyUrl, spawnProgram } from './process.ts';

const run = promisify(execFile);

/** Returns the commands of a document, or of one of its sections, in the order of the text. */
export async function readCommands(file: string, section?: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  const [, ...parts] = `\n${text}`.split(/\n## /);
  const shown = section === undefined ? text : (parts.find((part) => part.startsWith(`${section}\n`)) ?? '');
  const blocks = [...shown.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
  assert.ok(blocks.length > 0, `${file} shows no commands`);
  return blocks.join('');
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

// A guide shows no call that fails. With this, the first one that does ends the script, and its answer is in the output of the test.
const STRICT = `set -euo pipefail\ncurl() { command curl --fail-with-body "$@" || { echo "failed: curl $*" >&2; return 1; }; }\n`;

export interface NewInstallation {
  /** Runs commands beside the program, in the folder of the installation, and returns what they print. */
  run(commands: string): Promise<string>;
  /**
   * Returns what the phones of the sandbox have received, without the agent's word that a person will answer, which may come before or after
   * what the commands send.
   */
  readPhones(): Promise<Json[]>;
}

/** Starts the program on an empty database and an empty data folder, with the sandbox. */
export async function startNewInstallation(t: TestContext): Promise<NewInstallation> {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const data = await makeDataFolder(t);
  const port = await findTwoPorts();
  const env = { DATA_DIR: data, DATABASE_URL: database.url, SANDBOX: 'on', PORT: String(port) };
  await readyUrl(spawnProgram(t, { env }));
  // The commands name ./data and ./sandbox.
  const folder = dirname(data);
  await symlink(resolve('sandbox'), join(folder, 'sandbox'));
  return {
    run: async (commands) => {
      await writeFile(join(folder, 'shown.sh'), STRICT + commands);
      const { stdout } = await run('bash', ['shown.sh'], {
        cwd: folder,
        env: { PATH: process.env['PATH'], PORT: String(port) },
      }).catch((error: unknown) => {
        const { stdout: printed, stderr } = error as { stdout: string; stderr: string };
        assert.fail(printed + stderr);
      });
      return stdout;
    },
    readPhones: async () => {
      const answer = await fetch(`http://127.0.0.1:${port + 1}/sandbox/messages`);
      const { messages } = (await answer.json()) as Json;
      return messages.filter(({ body }: Json) => !body.text?.body.includes('A person of the bakery will answer'));
    },
  };
}
