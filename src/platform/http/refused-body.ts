/**
 * Reads what is left of a refused body. A client whose connection closes while it still writes may never see the answer, and a body without
 * end must not keep the server reading.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

// A body of this announced length is read to its end before the answer, because many clients read the answer only after they have written
// everything.
const DRAIN_BYTES = 64 * 1024 * 1024;
// How long it is read at most, and how long without a new piece. A client that sends a few megabytes over a slow line needs some seconds.
const DRAIN_MS = 10_000;
const SILENT_MS = 1_000;
// When an address is this far ahead of its rate (64 MB), its refused body is not read to the end.
const DRAIN_AHEAD_MS = 2_000;
// The limits are checked on a timer and not with each piece: closing a connection that has unread bytes resets it, and the answer is lost.
const DRAIN_LOOK_MS = 50;
// How much of any other body is read after it was refused.
const CUT_BYTES = 64 * 1024;
// How long the connection of such a body stays open for the client to read the answer.
const LINGER_MS = 1_000;

/** Counts bytes, and returns by how many milliseconds the sender is ahead of its rate. */
type CountBytes = (bytes: number) => number;

/** Returns when the answer to a refused request may be sent. */
export async function drainRefused(raw: IncomingMessage, count: CountBytes): Promise<void> {
  if (raw.readableEnded || raw.destroyed) return;
  const announced = Number(raw.headers['content-length'] ?? Infinity);
  if (announced <= DRAIN_BYTES) await readToEnd(raw, count);
  else cutAfterAnswer(raw);
}

async function readToEnd(raw: IncomingMessage, count: CountBytes): Promise<void> {
  const enough = new AbortController();
  const startedMs = performance.now();
  let aheadMs = 0;
  let lastMs = startedMs;
  raw.on('data', (piece: Buffer) => {
    aheadMs = count(piece.length);
    lastMs = performance.now();
  });
  raw.resume();
  const look = setInterval(() => {
    const nowMs = performance.now();
    if (aheadMs > DRAIN_AHEAD_MS || nowMs > startedMs + DRAIN_MS || nowMs > lastMs + SILENT_MS) enough.abort();
  }, DRAIN_LOOK_MS);
  // Failure policy: a client that is not done in time, or has hung up, is cut off.
  await once(raw, 'end', { signal: enough.signal }).catch(() => undefined);
  clearInterval(look);
}

/** Lets the answer be sent at once, stops reading soon, and closes the connection when the client has had time to read the answer. */
function cutAfterAnswer(raw: IncomingMessage): void {
  const { socket } = raw;
  let bytes = 0;
  raw.unpipe();
  raw.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes >= CUT_BYTES) raw.pause();
  });
  raw.resume();
  // Node calls this function when the answer has been written, and would close the connection, which resets it while the client still writes.
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}
