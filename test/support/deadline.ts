/**
 * Loaded before a test file: ends its process when the file as a whole takes too long, also when a test computes for ever and
 * no timer of its own thread fires. A time-out of the test runner ends neither that nor a file that a handle keeps alive.
 */
import { Worker } from 'node:worker_threads';

/** Many times what a file may take, so that a file that hangs is named and not waited for. */
const DEADLINE_MS = 300_000;

const watch = `setTimeout(() => {
  require('node:fs').writeSync(2, 'this test file took longer than ${DEADLINE_MS / 1_000} s\\n');
  process.kill(process.pid, 'SIGKILL');
}, ${DEADLINE_MS})`;
new Worker(watch, { eval: true }).unref();
