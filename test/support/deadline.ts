/**
 * Ends the process of a test file that takes too long, even when a test computes for ever and no timer of the main thread fires. The
 * time-out of the test runner ends neither such a file nor a file that an open handle keeps alive. Loaded before each test file.
 */
import { Worker } from 'node:worker_threads';

/** The time limit of a test file, many times what a file needs. */
const DEADLINE_MS = 300_000;

const watch = `setTimeout(() => {
  require('node:fs').writeSync(2, 'this test file took longer than ${DEADLINE_MS / 1_000} s\\n');
  process.kill(process.pid, 'SIGKILL');
}, ${DEADLINE_MS})`;
new Worker(watch, { eval: true }).unref();
