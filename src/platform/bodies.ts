/**
 * Request bodies on their way into memory. They are counted from the first byte, by address and in all, so that any number of
 * connections that promise a body and never end it costs a bounded amount; those that arrive too slowly are cut, and those of one
 * address are read no faster than at its pace.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { AppError } from './errors.ts';
import { addressGroup } from './limits.ts';
import { createPace, type Pace } from './pace.ts';

export interface BodyLimits {
  /** Bytes of unfinished bodies that the process holds at once. */
  total: number;
  /** Of them, from one address. */
  perAddress: number;
}

export interface Bodies {
  /** A whole body of at most `maxBytes`. `see` is shown each piece as it comes. */
  receive(request: FastifyRequest, maxBytes: number, see?: (piece: Buffer) => void): Promise<Buffer>;
  /** For a body that is read elsewhere. */
  follow(request: FastifyRequest): Followed;
  /** To be awaited after so many bytes of a file: resolves when its owner keeps its pace again. */
  keepPace(owner: string, bytes: number): Promise<void>;
  /** Reads the rest of a refused body and drops it. A client whose connection is closed while it still writes never sees the answer. */
  drain(request: FastifyRequest): Promise<void>;
  /** Cuts what is too slow. To be called every LOOK_MS. */
  look(): void;
}

export interface Followed {
  /** Rejects when there is no room, or when the body is too slow. */
  failed: Promise<never>;
  /** Counts the bytes that arrive from now on, or no more of them. */
  count(isHeld: boolean): void;
  /** The body has been read, or never will be. */
  end(): void;
}

export const LOOK_MS = 1_000;
// A body has to bring so much, or its end, within so many looks: 13 kB a second, below the slowest of mobile connections. Looks are
// counted, not seconds: while the process stands still nobody is slow.
const LEAST_BYTES = 64 * 1024;
const PATIENT_LOOKS = 5;
// Of one address: what a line of 250 megabits brings, and a tenth of what reading it all would take of a core.
const BYTES_PER_SECOND = 32 * 1024 * 1024;
// Of the files of one company: they are hashed, written to the disk and to the database, and read from there.
const FILE_BYTES_PER_SECOND = 8 * 1024 * 1024;
// Whoever is ahead by less need not wait: pieces come in bursts.
const AHEAD_MS = 50;
// What a connection has read of a body before anybody looks at it: counted as soon as a body has not come in one piece.
const READ_AHEAD_BYTES = 64 * 1024;
// What a buffer begins with when the body is larger.
const FIRST_BYTES = 16 * 1024;

interface Watched {
  raw: IncomingMessage;
  /** What its connection had brought when it was last in time. */
  bytes: number;
  looks: number;
  cut(): void;
}

/** `note` is told how many bytes are held, whenever that changes. */
export function createBodies(limits: BodyLimits, note: (bytes: number) => void): Bodies {
  const budget = createBudget(limits, note);
  const watched = new Set<Watched>();
  const pace = createPace(BYTES_PER_SECOND);
  const files = createPace(FILE_BYTES_PER_SECOND);

  function watch(raw: IncomingMessage, fail: (error: AppError) => void): () => void {
    const cut = (): void => fail(new AppError('REQUEST_TIMEOUT', 'The body arrives too slowly'));
    const entry: Watched = { raw, bytes: raw.socket.bytesRead, looks: 0, cut };
    watched.add(entry);
    return () => void watched.delete(entry);
  }

  return {
    receive: async (request, maxBytes, see) => {
      const { raw } = request;
      const group = addressGroup(request.ip);
      const share = budget.open(group);
      const announced = Number(request.headers['content-length'] ?? 0);
      const growing = createGrowing(announced);
      try {
        if (announced > maxBytes) throw new AppError('BODY_TOO_LARGE');
        const aheadMs = (piece: Buffer): number => pace.count(group, piece.length);
        await collect(raw, { watch, aheadMs }, (piece) => {
          if (growing.size() + piece.length > maxBytes) throw new AppError('BODY_TOO_LARGE');
          const isFirstOfMany = growing.size() === 0 && piece.length !== announced;
          share.take(piece.length + (isFirstOfMany ? READ_AHEAD_BYTES : 0));
          see?.(piece);
          growing.add(piece);
        });
        return growing.bytes();
      } finally {
        share.release();
      }
    },
    follow: ({ raw, ip }) => follow(raw, budget.open(addressGroup(ip)), watch),
    keepPace: async (owner, bytes) => {
      const aheadMs = files.count(owner, bytes);
      if (aheadMs > AHEAD_MS) await sleep(aheadMs);
    },
    drain: ({ raw, ip }) => drain(raw, addressGroup(ip), pace),
    look: () => watched.forEach(judge),
  };
}

function judge(entry: Watched): void {
  const { raw } = entry;
  const bytes = raw.socket.bytesRead;
  // What waits to be read by us shows that its sender is not slow.
  if (bytes - entry.bytes >= LEAST_BYTES || raw.readableLength > 0) Object.assign(entry, { bytes, looks: 0 });
  else if ((entry.looks += 1) >= PATIENT_LOOKS) entry.cut();
}

type Watch = (raw: IncomingMessage, fail: (error: AppError) => void) => () => void;

function follow(raw: IncomingMessage, share: Share, watch: Watch): Followed {
  const { promise, reject } = Promise.withResolvers<never>();
  // Failure policy: whoever follows hears of it; nobody else does.
  promise.catch(() => undefined);
  const unwatch = watch(raw, reject);
  let isCounting = false;
  const see = (piece: Buffer): void => {
    try {
      if (isCounting) share.take(piece.length);
    } catch (error) {
      // Failure policy: there is no room, which whoever follows is told.
      reject(error);
    }
  };
  raw.on('data', see);
  const end = (): void => {
    raw.off('data', see);
    unwatch();
    share.release();
  };
  return { failed: promise, count: (isHeld) => (isCounting = isHeld), end };
}

interface Collecting {
  watch: Watch;
  /** By how much its sender is ahead with this piece. */
  aheadMs(piece: Buffer): number;
}

/** Shows `take` each piece until the body ends; what it throws ends the reading. */
function collect(raw: IncomingMessage, { watch, aheadMs }: Collecting, take: (piece: Buffer) => void): Promise<void> {
  return new Promise((done, failed) => {
    const unwatch = watch(raw, (error) => leave(() => failed(error)));
    let pause: NodeJS.Timeout | undefined;
    const leave = (settle: () => void): void => {
      clearTimeout(pause);
      raw.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      unwatch();
      settle();
    };
    const onData = (piece: Buffer): void => {
      const ms = aheadMs(piece);
      try {
        take(piece);
      } catch (error) {
        // Failure policy: the reading ends, and its caller is told why.
        return leave(() => failed(error));
      }
      if (ms <= AHEAD_MS) return;
      // What it sends meanwhile waits on its side of the network.
      raw.pause();
      pause = setTimeout(() => raw.resume(), ms);
    };
    const onEnd = (): void => leave(done);
    const onError = (error: Error): void => leave(() => failed(error));
    const onClose = (): void => leave(() => failed(new AppError('MALFORMED_BODY', 'The request was cut off')));
    raw.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

/** One buffer that grows with what arrives: thousands of tiny pieces, each kept as an object, would take a hundred times their size. */
function createGrowing(announced: number) {
  let buffer = Buffer.alloc(0);
  let size = 0;
  return {
    size: () => size,
    bytes: () => buffer.subarray(0, size),
    add: (piece: Buffer): void => {
      if (size + piece.length > buffer.length) {
        const doubled = Math.max(FIRST_BYTES, 2 * buffer.length);
        const wanted = announced > 0 ? Math.min(doubled, announced) : doubled;
        const larger = Buffer.allocUnsafeSlow(Math.max(wanted, size + piece.length));
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
      }
      piece.copy(buffer, size);
      size += piece.length;
    },
  };
}

interface Share {
  /** Throws when there is no room for more. */
  take(bytes: number): void;
  release(): void;
}

function createBudget({ total, perAddress }: BodyLimits, note: (bytes: number) => void) {
  const heldBy = new Map<string, number>();
  let heldInAll = 0;
  const hold = (group: string, bytes: number): void => {
    heldInAll += bytes;
    note(heldInAll);
    const own = (heldBy.get(group) ?? 0) + bytes;
    if (own > 0) heldBy.set(group, own);
    else heldBy.delete(group);
  };
  const soon = { 'retry-after': '1' };
  return {
    open: (group: string): Share => {
      let own = 0;
      return {
        take: (bytes) => {
          if (heldInAll + bytes > total) throw new AppError('UNAVAILABLE', 'Too many bodies arrive at once', [], soon);
          if ((heldBy.get(group) ?? 0) + bytes > perAddress)
            throw new AppError('RATE_LIMITED', 'Too many bodies arrive at once from this address', [], soon);
          own += bytes;
          hold(group, bytes);
        },
        release: () => {
          hold(group, -own);
          own = 0;
        },
      };
    },
  };
}

// Longer than a client on this side of the world needs for a body of a few megabytes.
const DRAIN_MS = 1_000;
// An address that is ahead by so much, 64 MB, is not read on only to be told that it sends too much.
const DRAIN_AHEAD_MS = 2_000;
// A connection is closed between two turns of reading: with bytes that nobody read it would be reset, and the answer lost.
const DRAIN_LOOK_MS = 50;

async function drain(raw: IncomingMessage, group: string, pace: Pace): Promise<void> {
  if (raw.readableEnded || raw.destroyed) return;
  const enough = new AbortController();
  let aheadMs = 0;
  raw.on('data', (piece: Buffer) => (aheadMs = pace.count(group, piece.length)));
  raw.resume();
  const untilMs = performance.now() + DRAIN_MS;
  const look = setInterval(() => {
    if (aheadMs > DRAIN_AHEAD_MS || performance.now() > untilMs) enough.abort();
  }, DRAIN_LOOK_MS);
  // Failure policy: who is not done by then, or has hung up, is cut off.
  await once(raw, 'end', { signal: enough.signal }).catch(() => undefined);
  clearInterval(look);
}
