/**
 * Loaded into a platform process before its own code: measures how long its event loop is held up, and tells it on the socket
 * named by PULSE_SOCKET. The thread's own computing time is measured beside the clock's, because on a busy machine a process
 * also stands still while others compute.
 */
import { createServer } from 'node:http';

export interface Pulse {
  /** The longest time, since the last look, that the event loop was later than it should have been. */
  delayMs: number;
  /** The longest time that it computed without a pause. */
  busyMs: number;
}

// Ten times as fine as the bars that are judged with it.
const EVERY_MS = 10;

const path = process.env['PULSE_SOCKET'];
// What this process starts is not measured here, and the socket is taken.
delete process.env['PULSE_SOCKET'];
if (path) beat(path);

function beat(socket: string): void {
  let longest: Pulse = { delayMs: 0, busyMs: 0 };
  let lastMs = performance.now();
  let lastCpu = process.threadCpuUsage();
  const look = (): void => {
    const nowMs = performance.now();
    const { user, system } = process.threadCpuUsage(lastCpu);
    longest = {
      delayMs: Math.max(longest.delayMs, nowMs - lastMs - EVERY_MS),
      busyMs: Math.max(longest.busyMs, (user + system) / 1_000),
    };
    lastMs = nowMs;
    lastCpu = process.threadCpuUsage();
  };
  setInterval(look, EVERY_MS).unref();
  const server = createServer((request, response) => {
    look();
    if (request.url === '/settle') globalThis.gc?.();
    response.end(JSON.stringify(longest));
    longest = { delayMs: 0, busyMs: 0 };
  });
  server.listen(socket).unref();
}
