/** Runs one process from its start to its orderly stop. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Config, StartConfig } from '../config.ts';
import { createLog, type Log } from '../platform/work/telemetry.ts';
import { buildWebApps } from '../platform/http/web-builds.ts';
import { startDatabase } from './database.ts';
import { describeEntrances } from './entrances.ts';
import { explainStartError } from './explain.ts';
import { start, type Running } from './start.ts';
import type { Purpose, EarlyStart } from './early-start.ts';
import { declareSettingLimit } from '../platform/values/limits.ts';

declareSettingLimit('STOP_WAIT', {
  topic: 'Operation',
  what: 'Time to finish work after SIGTERM',
  unit: 'ms',
  beyond: 'the process exits',
});

// How long a stop waits for a slow reader of the log.
const LOG_MS = 1_000;

interface BegunStart {
  early: Promise<EarlyStart>;
  /** Resolves with the first signal that asks the process to end. */
  asked: Promise<string>;
}

export async function run(config: StartConfig, purpose: Purpose, { early, asked }: BegunStart): Promise<void> {
  const log = createLog(config.LOG_LEVEL, config.LOG_FORMAT);
  try {
    const starting = start(config, purpose, { log, early, hasWholeDemo: true });
    // A start that is asked to end is completed and then stopped in order. One that does not come to its end is given up.
    void asked.then(() => setTimeout(exitNow, config.STOP_WAIT).unref());
    const running = await starting;
    log.info({ listening: running.url, purpose, pid: process.pid }, 'ready');
    const where = running.url ? ` on ${running.url} (guides and reference: ${running.url}/docs)` : ' to work';
    process.stdout.write(`Parley is ready${where}\n`);
    collectGarbage();
    if (running.url) void openPages(running, config, log);
    await stopOnSignal(running, { asked, stopMs: config.STOP_WAIT, log });
  } catch (error) {
    throw new Error(explainStartError(error, config), { cause: error });
  }
}

export async function runMigrations(config: Config): Promise<void> {
  try {
    const store = await startDatabase(config, true, createLog(config.LOG_LEVEL, config.LOG_FORMAT));
    await store.embedded?.stop();
    process.stdout.write('The database is up to date.\n');
  } catch (error) {
    throw new Error(explainStartError(error, config), { cause: error });
  }
}

const exitNow = (): never => process.exit(1);

/** Builds the pages whose sources have changed, while the platform serves, and then says where a person begins. Never throws. */
async function openPages(running: Running, config: Config, log: Log): Promise<void> {
  await buildWebApps(config.DATA_DIR, (name, error) => {
    // Failure policy: the API works without its pages; the page that is missing says that the log has the reason.
    log.error({ err: error }, `the page ${name} could not be built`);
  });
  process.stdout.write(await describeEntrances(running, log));
}

/**
 * Runs a garbage collection after the start, because loading the code leaves some 70 MB of garbage that an idle process would keep for
 * hours.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setTimeout(() => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }), 1_000).unref();
}

interface Stop extends Pick<BegunStart, 'asked'> {
  stopMs: number;
  log: Log;
}

/**
 * Waits for the first signal or failure, then stops in order and exits. A second signal during the stop, or a stop that takes longer
 * than STOP_WAIT, makes the process exit at once. The reason of a failure is written before the stop, which takes its whole time when the database is gone.
 */
async function stopOnSignal(running: Running, { asked, stopMs, log }: Stop): Promise<never> {
  const cause = await Promise.race([
    asked.then((signal) => ({ signal })),
    running.failed.then((failure) => ({ failure })),
  ]);
  if ('failure' in cause) process.stderr.write(`parley: ${cause.failure}\n`);
  log.info(cause, 'stopping');
  process.once('SIGTERM', exitNow).once('SIGINT', exitNow);
  setTimeout(exitNow, stopMs).unref();
  await running.stop();
  log.info('stopped');
  await flushLog(log);
  // Timers of libraries may still keep the event loop alive, so the process exits explicitly.
  process.exit('failure' in cause ? 1 : 0);
}

/** Resolves when the reader of the log has taken every line, or after a while. */
function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LOG_MS);
    log.flush(() => resolve());
  });
}
