/**
 * Ends the process of a test file that takes too long, even when a test computes for ever and no timer of its own thread fires. The
 * runner's
 * time-out ends neither that nor a file that an open handle keeps alive. Loaded before each test file.
 */
import { Worker } from 'node:worker_threads';

/** Many times what a file needs, so that a file that hangs is reported and ended. */
const DEADLINE_MS = 300_000;

const watch = `setTimeout(() => {
  require('node:fs').writeSync(2, 'this test file took longer than ${DEADLINE_MS / 1_000} s\\n');
  process.kill(process.pid, 'SIGKILL');
}, ${DEADLINE_MS})`;
new Worker(watch, { eval: true }).unref();
