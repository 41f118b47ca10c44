/**
 * Ends the process of a test file that takes too long, and the processes that it has started, even when a test computes for ever and no
 * timer of the main thread fires. The time-out of the test runner ends neither such a file nor a file that an open handle keeps alive.
 * Loaded before each test file.
 */
import { isMainThread, Worker } from 'node:worker_threads';

/** The time limit of a test file, which only ends one that hangs. The test of this limit sets a short one. */
const DEADLINE_MS = Number(process.env['PARLEY_TEST_DEADLINE_MS'] ?? 1_800_000);

// A process that stayed behind would keep the output of the file open, and the runner would wait for its end.
const watch = `const { parentPort } = require('node:worker_threads');
const deadline = setTimeout(async () => {
  require('node:fs').writeSync(2, 'this test file took longer than ${DEADLINE_MS / 1_000} s\\n');
  try {
    const { listDescendants } = await import(${JSON.stringify(import.meta.resolve('./process.ts'))});
    for (const pid of listDescendants(process.pid)) process.kill(pid, 'SIGKILL');
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}, ${DEADLINE_MS});
parentPort.on('message', () => deadline.refresh()).unref();`;
// A worker with the options of this process would load this file as well.
const worker = isMainThread ? new Worker(watch, { eval: true, execArgv: [] }) : undefined;
worker?.unref();

/** Gives the next file of a process that runs several test files the whole time limit. */
export const restartDeadline = (): void => worker?.postMessage('restart', []);
