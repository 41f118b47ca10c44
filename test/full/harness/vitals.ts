/** Measures a platform process from outside: its memory and, if it was started with `makeMeasurementEnv`, its event loop. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import type { ProcessMeasurements } from './pulse.ts';

const PULSE = new URL('pulse.ts', import.meta.url).href;
// A process that is blocked for longer than this counts as a process that does not answer.
const ANSWER_MS = 10_000;
const SAMPLE_MS = 250;
// The system gets freed memory back some time later; the measurement ends after a pause in which less than SETTLED_MB came back.
const SETTLE_PAUSE_MS = 1_000;
const SETTLED_MB = 2;
const MOST_PAUSES = 20;
// What one collection of garbage sets free may be collected only by the next one.
const STILL_PAUSES = 3;

/** Returns the environment variables for a process that is to be measured. */
export const makeMeasurementEnv = (socket: string): Record<string, string> => ({
  PULSE_SOCKET: socket,
  NODE_OPTIONS: `--expose-gc --import ${PULSE}`,
});

/** Reads the delays since the last report; null when the process does not answer. */
export async function readMeasurements(socket: string, path = '/'): Promise<ProcessMeasurements | null> {
  const client = new Client('http://pulse', { socketPath: socket, headersTimeout: ANSWER_MS });
  try {
    const { body } = await client.request({ method: 'GET', path });
    return (await body.json()) as ProcessMeasurements;
  } catch {
    // Failure policy: the process has ended or is blocked; the caller decides what that means.
    return null;
  } finally {
    await client.destroy();
  }
}

/** Returns the memory of a process and its child processes in megabytes. */
async function measureTreeMb(pid: number): Promise<number> {
  const pids = [pid, ...(await listChildren(pid))];
  const all = await Promise.all(pids.map(measureProcessMb));
  return Math.round(all.reduce((sum, one) => sum + one, 0));
}

/**
 * Returns the memory of a process in megabytes, once its garbage is collected and no more memory returns to the system. Its child processes
 * are left out: an idle one that reads sheets is kept for half a minute, so whether there is one depends on the moment of the last import.
 */
export async function measureSettledMb(socket: string, pid: number): Promise<number> {
  let least = await measureProcessMb(pid);
  let still = 0;
  for (let pause = 0; pause < MOST_PAUSES && still < STILL_PAUSES; pause += 1) {
    if (!(await readMeasurements(socket, '/settle'))) break;
    await sleep(SETTLE_PAUSE_MS);
    const now = await measureProcessMb(pid);
    still = now > least - SETTLED_MB ? still + 1 : 0;
    least = Math.min(least, now);
  }
  return Math.round(least);
}

/** Returns the most memory used while `work` ran; `ownMb` leaves out child processes. */
export async function watchMemory<T>(
  pid: number,
  work: Promise<T>,
): Promise<{ result: T; peakMb: number; ownMb: number }> {
  let peakMb = 0;
  let ownMb = 0;
  const state = { over: false };
  const ended = work.finally(() => (state.over = true));
  const watching = (async () => {
    while (!state.over) {
      peakMb = Math.max(peakMb, await measureTreeMb(pid));
      ownMb = Math.max(ownMb, Math.round(await measureProcessMb(pid)));
      await sleep(SAMPLE_MS);
    }
  })();
  const result = await ended;
  await watching;
  return { result, peakMb, ownMb };
}

async function measureProcessMb(pid: number): Promise<number> {
  const status = await readProc(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

async function listChildren(pid: number): Promise<number[]> {
  return (await readProc(`/proc/${pid}/task/${pid}/children`)).split(' ').filter(Boolean).map(Number);
}

async function readProc(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // Failure policy: a process that has ended uses no memory.
    return '';
  }
}
