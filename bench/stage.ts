/** The environment of a benchmark: its own database, a company with data, and real processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { start } from '../src/boot/start.ts';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/platform/work/telemetry.ts';
import { openTestDatabase, type TestDatabase } from '../test/support/database.ts';
import { UNLIMITED } from '../test/support/platform.ts';
import { NODE_FLAGS } from '../test/support/program.ts';

const ROOT = join(import.meta.dirname, '..');

export interface BenchStage {
  database: TestDatabase;
  /** Environment variables for the platform's processes. */
  env: Record<string, string>;
  key: string;
  company: string;
  appSecret: string;
  close(): Promise<void>;
}

/**
 * Prepares a benchmark: starts the platform once, which creates the demo company, its inbox (accepted by the sandbox) and its webhook, and
 * stops it again.
 */
export async function openBenchStage(): Promise<BenchStage> {
  const database = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info', ...UNLIMITED };
  const seeding = await start(loadConfig({ ...env, SANDBOX: 'on' }), 'all', { log: createLog('silent') });
  await seeding.stop();
  const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as {
    company_key: string;
    company_id: string;
  };
  const { appSecret } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as { appSecret: string };
  return {
    database,
    env: { ...env, WAP_APP_SECRET: appSecret, SANDBOX: 'off' },
    key: credentials.company_key,
    company: credentials.company_id,
    appSecret,
    close: async () => {
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the inbox of the demo company that sends templates. */
export async function findSendingInbox({ database }: BenchStage): Promise<string> {
  const [inbox] = await database.sql<{ _id: string }>(
    `select _id from inboxes where channel = 'WAP_AUTO_CLOSER' limit 1`,
  );
  if (!inbox) throw new Error('the demo company has no inbox that sends templates');
  return inbox._id;
}

export interface SpawnedProgram {
  child: ChildProcess;
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts a program, waits until it is ready, and returns its address (`url` is empty for a worker). Its log is read and thrown away, as a
 * log collector would read it.
 */
export async function spawnProgram(file: string, args: string[], env: Record<string, string>): Promise<SpawnedProgram> {
  const child = spawn(process.execPath, [...(file === 'src/launch.js' ? NODE_FLAGS : []), join(ROOT, file), ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  let said: string | null = null;
  for await (const line of lines) {
    if (line.startsWith('{"level"') || !/ready|^http/.test(line)) continue;
    said = line;
    break;
  }
  if (said === null) throw new Error(`${file} ended before it was ready`);
  const url = /(http:\/\/[\d.]+:\d+)/.exec(said)?.[1] ?? '';
  child.stdout.resume();
  return {
    child,
    url,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Returns the memory of a process in megabytes. */
export async function measureResidentMb({ child }: SpawnedProgram): Promise<number> {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    // Failure policy: this system has no /proc, so `ps` is used, which every other system has.
    const ps = spawn('ps', ['-o', 'rss=', '-p', String(child.pid)]);
    const [text] = (await once(ps.stdout, 'data')) as [Buffer];
    return Number(text.toString()) / 1024;
  }
}
