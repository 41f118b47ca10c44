/** What a platform process is like from outside: its memory, and, if it was started with `pulseEnv`, its event loop. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import type { Pulse } from './pulse.ts';

const PULSE = new URL('pulse.ts', import.meta.url).href;
// A process that stands still for longer is told of as one that does not answer.
const ANSWER_MS = 10_000;
const SAMPLE_MS = 250;
// Memory goes back to the system some time after it is free: a pause in which so little goes back is the last one.
const SETTLE_PAUSE_MS = 1_000;
const SETTLED_MB = 2;
const MOST_PAUSES = 20;

/** The settings with which a process is started that is to be measured. */
export const pulseEnv = (socket: string): Record<string, string> => ({
  PULSE_SOCKET: socket,
  NODE_OPTIONS: `--expose-gc --import ${PULSE}`,
});

/** Since the last look; null when the process does not answer. */
export async function readPulse(socket: string, path = '/'): Promise<Pulse | null> {
  const client = new Client('http://pulse', { socketPath: socket, headersTimeout: ANSWER_MS });
  try {
    const { body } = await client.request({ method: 'GET', path });
    return (await body.json()) as Pulse;
  } catch {
    // Failure policy: the process has ended or stands still; what that means decides the caller.
    return null;
  } finally {
    await client.destroy();
  }
}

/** What a process and those that it started hold, in megabytes. */
async function residentMb(pid: number): Promise<number> {
  const pids = [pid, ...(await listChildren(pid))];
  const all = await Promise.all(pids.map(residentOne));
  return Math.round(all.reduce((sum, one) => sum + one, 0));
}

/** The same, once what is garbage has been collected and nothing more goes back to the system. */
export async function settledMb(socket: string, pid: number): Promise<number> {
  let least = await residentMb(pid);
  for (let pause = 0; pause < MOST_PAUSES; pause += 1) {
    if (!(await readPulse(socket, '/settle'))) break;
    await sleep(SETTLE_PAUSE_MS);
    const now = await residentMb(pid);
    if (now > least - SETTLED_MB) return Math.min(now, least);
    least = now;
  }
  return least;
}

/** The most that it held while `work` ran: `ownMb` without the processes that it started. */
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
      peakMb = Math.max(peakMb, await residentMb(pid));
      ownMb = Math.max(ownMb, Math.round(await residentOne(pid)));
      await sleep(SAMPLE_MS);
    }
  })();
  const result = await ended;
  await watching;
  return { result, peakMb, ownMb };
}

async function residentOne(pid: number): Promise<number> {
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
    // Failure policy: a process that has ended holds nothing.
    return '';
  }
}
