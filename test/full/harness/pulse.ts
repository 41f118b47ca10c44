/**
 * A module that proofs load into a platform process before its own code: it measures delays of
 * the event loop and reports them on the socket PULSE_SOCKET. The computing time of the thread is
 * measured as well, because on a busy machine a process also waits while other processes compute.
 */
import { createServer } from 'node:http';

export interface ProcessMeasurements {
  /** The longest delay of the event loop since the last report. */
  delayMs: number;
  /** The longest time that the event loop computed without a pause. */
  busyMs: number;
  /** The share of the time in which the event loop had nothing to do. */
  idleShare: number;
}

// The interval of the measurements, a tenth of the shortest delay that is judged.
const EVERY_MS = 10;

const path = process.env['PULSE_SOCKET'];
// Child processes do not load this module, because the socket can be used only once.
delete process.env['PULSE_SOCKET'];
if (path) serveMeasurements(path);

function serveMeasurements(socket: string): void {
  let longest = { delayMs: 0, busyMs: 0 };
  let lastUse = performance.eventLoopUtilization();
  let lastMs = performance.now();
  let lastCpu = process.threadCpuUsage();
  const measureDelay = (): void => {
    const nowMs = performance.now();
    const { user, system } = process.threadCpuUsage(lastCpu);
    longest = {
      delayMs: Math.max(longest.delayMs, nowMs - lastMs - EVERY_MS),
      busyMs: Math.max(longest.busyMs, (user + system) / 1_000),
    };
    lastMs = nowMs;
    lastCpu = process.threadCpuUsage();
  };
  setInterval(measureDelay, EVERY_MS).unref();
  const server = createServer((request, response) => {
    measureDelay();
    if (request.url === '/settle') globalThis.gc?.();
    const { utilization } = performance.eventLoopUtilization(lastUse);
    const measured: ProcessMeasurements = { ...longest, idleShare: 1 - utilization };
    response.end(JSON.stringify(measured));
    lastUse = performance.eventLoopUtilization();
    longest = { delayMs: 0, busyMs: 0 };
  });
  server.listen(socket).unref();
}
