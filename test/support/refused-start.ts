/** Checks that the platform does not start, and how it explains that. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { explainStartError } from '../../src/boot/explain.ts';
import { start } from '../../src/boot/start.ts';
import type { Purpose } from '../../src/boot/early-start.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/platform/work/telemetry.ts';
import { listDescendants, listLiving, makeDataFolder, spawnProgram, type SpawnOptions } from './process.ts';
import { waitUntil } from './wait.ts';

/** Starts the program and checks that it prints only this sentence and exits with 1. */
export async function assertRefused(t: TestContext, sentence: RegExp, options: SpawnOptions): Promise<void> {
  const DATA_DIR = options.env?.['DATA_DIR'] ?? (await makeDataFolder(t));
  const program = spawnProgram(t, { ...options, env: { ...options.env, DATA_DIR } });
  let children: number[] = [];
  const watch = setInterval(() => {
    children = [...new Set([...children, ...listDescendants(program.pid)])];
  }, 50);
  const code = await program.ended;
  clearInterval(watch);
  const words = program.stderr();
  assert.match(words, /^parley: [^\n]+\n$/, 'one line');
  assert.match(words, sentence);
  assert.doesNotMatch(words, /Error:|node:internal|\.ts:\d/, 'no stack trace');
  assert.ok(!(words + program.stdout()).includes('hunter2'), 'no password');
  assert.equal(code, 1);
  await waitUntil('its children to end', () => listLiving(children).length === 0);
}

/** Starts the platform in this process and checks that it is refused with this sentence. */
export async function assertStartRefused(
  t: TestContext,
  sentence: RegExp,
  { purpose = 'all', env = {} }: { purpose?: Purpose; env?: Record<string, string> },
): Promise<void> {
  const DATA_DIR = await makeDataFolder(t);
  const config = loadConfig({ DATA_DIR, PORT: '0', LOG_LEVEL: 'silent', ...env });
  const earlier = listDescendants(process.pid);
  const starting = start(config, purpose, { log: createLog('silent') });
  const explained = await starting.then(
    async ({ stop }) => `started, ${String(await stop())}`,
    (error: unknown) => explainStartError(error, config),
  );
  assert.match(explained, sentence);
  assert.ok(!explained.includes('hunter2'), 'no password');
  await waitUntil('its children to end', () => listDescendants(process.pid).every((pid) => earlier.includes(pid)));
}
