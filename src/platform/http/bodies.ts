/**
 * Reads request bodies into memory. Bytes are counted from the first one, per address and in total, so that any number of connections that
 * never finish their body use a bounded amount of memory. A body that arrives too slowly is cut off, and the bodies of one address are read
 * at a limited rate.
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../values/errors.ts';
import { addressGroup } from './limits.ts';
import { createPace } from '../work/pace.ts';
import { drainRefused } from './refused-body.ts';
import { declareLimit, declareSettingLimit } from '../values/limits.ts';

declareSettingLimit('BODIES_MB', {
  topic: 'Requests',
  what: 'Bodies in transit, per process',
  unit: 'megabytes',
  beyond: '503',
});
declareSettingLimit('BODIES_MB_PER_ADDRESS', {
  topic: 'Requests',
  what: 'Bodies in transit from one address, per process',
  unit: 'megabytes',
  beyond: '503',
});

export interface BodyLimits {
  /** The bytes of unfinished bodies that the process holds at the same time. */
  total: number;
  /** The bytes of unfinished bodies that one address may use. */
  perAddress: number;
  /** The rate at which the bodies of one address are read; BYTES_PER_SECOND unless given. */
  bytesPerSecond?: number;
}

export interface Bodies {
  /** Reads a whole body of at most `maxBytes`. `see` is called with each piece as it arrives. */
  receive(request: FastifyRequest, maxBytes: number, see?: (piece: Buffer) => void): Promise<Buffer>;
  /** Counts the bytes of a body that other code reads, and cuts the body off when it is too slow. */
  follow(request: FastifyRequest): SupervisedBody;
  /** Counts bytes of an uploaded file. Resolves at once, or as soon as the rate of the owner allows more. */
  keepPace(owner: string, bytes: number): Promise<void>;
  /** Reads the rest of a refused body as far as the client needs it to see the answer (refused-body.ts). */
  drain(request: FastifyRequest): Promise<void>;
  /** Cuts off bodies that arrive too slowly. The server calls this function every LOOK_MS. */
  look(): void;
}

export interface SupervisedBody {
  /** Rejects when the limits leave no bytes for the body, or when the body arrives too slowly. */
  failed: Promise<never>;
  /** Turns the counting on or off for the bytes that arrive from now on. */
  count(isHeld: boolean): void;
  /** Ends the supervision, when the body has been read or is given up. */
  end(): void;
}

export const LOOK_MS = 1_000;
// A body must bring this many bytes, or its end, within this many looks: 13 kB a second, less than the slowest mobile
// connections. Looks are counted instead of seconds, so that no body counts as slow while the process itself was blocked.
const LEAST_BYTES = 64 * 1024;
const PATIENT_LOOKS = 5;
// The rate for bodies of one address: that of a 250-megabit line, which costs about a tenth of a core.
const BYTES_PER_SECOND = declareLimit(32 * 1024 * 1024, {
  topic: 'Requests',
  what: 'Bodies from one address',
  unit: 'bytesPerSecond',
  beyond: 'slowed down',
});
// The rate for files of one company. It is lower, because files are hashed, written to disk and to the database, and read again.
const FILE_BYTES_PER_SECOND = declareLimit(4 * 1024 * 1024, {
  topic: 'Files',
  what: 'Uploads per company',
  unit: 'bytesPerSecond',
  beyond: 'slowed down',
});
// A sender that is ahead of its rate by less than this is not paused, because network data comes in bursts.
const AHEAD_MS = 50;
// The bytes of a body that Node buffers before they are read here. The bytes are counted as soon as a body does not arrive in one piece.
const READ_AHEAD_BYTES = 64 * 1024;
// The first size of the buffer for a body.
const FIRST_BYTES = 16 * 1024;
// Creating a resizable buffer takes some 50 µs, which is not worth it for smaller bodies.
const LARGE_BYTES = 256 * 1024;

interface WatchedBody {
  raw: IncomingMessage;
  /** The bytes that the connection had received when the body was last found to be fast enough. */
  bytes: number;
  looks: number;
  cut(): void;
}

/** Creates the reader. `note` is called with the number of bytes in memory whenever it changes. */
export function createBodies(limits: BodyLimits, note: (bytes: number) => void): Bodies {
  const budget = createByteBudget(limits, note);
  const watched = new Set<WatchedBody>();
  const pace = createPace(limits.bytesPerSecond ?? BYTES_PER_SECOND);
  const files = createPace(FILE_BYTES_PER_SECOND);

  function watch(raw: IncomingMessage, fail: (error: AppError) => void): () => void {
    const cut = (): void => fail(new AppError('REQUEST_TIMEOUT', 'The body arrives too slowly'));
    const entry: WatchedBody = { raw, bytes: raw.socket.bytesRead, looks: 0, cut };
    watched.add(entry);
    return () => void watched.delete(entry);
  }

  return {
    receive: async (request, maxBytes, see) => {
      const { raw } = request;
      const group = addressGroup(request.ip);
      const share = budget.open(group);
      const announced = Number(request.headers['content-length'] ?? 0);
      const growing = createGrowingBuffer(announced, maxBytes);
      try {
        if (announced > maxBytes) throw makeTooLargeError(maxBytes);
        const aheadMs = (piece: Buffer): number => pace.count(group, piece.length);
        const isWhole = (): boolean => growing.size() === announced;
        await collectPieces(raw, { watch, aheadMs, isWhole }, (piece) => {
          if (growing.size() + piece.length > maxBytes) throw makeTooLargeError(maxBytes);
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
    follow: ({ raw, ip }) => superviseBody(raw, budget.open(addressGroup(ip)), watch),
    keepPace: async (owner, bytes) => {
      const aheadMs = files.count(owner, bytes);
      if (aheadMs > AHEAD_MS) await sleep(aheadMs);
    },
    drain: ({ raw, ip }) => drainRefused(raw, (bytes) => pace.count(addressGroup(ip), bytes)),
    look: () => watched.forEach(cutIfSlow),
  };
}

function cutIfSlow(entry: WatchedBody): void {
  const { raw } = entry;
  const bytes = raw.socket.bytesRead;
  // Unread bytes in the buffer and a pause mean that this process is slow, not the sender.
  if (bytes - entry.bytes >= LEAST_BYTES || raw.readableLength > 0 || raw.isPaused())
    Object.assign(entry, { bytes, looks: 0 });
  else if ((entry.looks += 1) >= PATIENT_LOOKS) entry.cut();
}

type WatchBody = (raw: IncomingMessage, fail: (error: AppError) => void) => () => void;

function superviseBody(raw: IncomingMessage, share: ByteShare, watch: WatchBody): SupervisedBody {
  const { promise, reject } = Promise.withResolvers<never>();
  // Failure policy: the caller of superviseBody() awaits this promise as well; this handler only prevents an unhandled rejection.
  promise.catch(() => undefined);
  const unwatch = watch(raw, reject);
  let isCounting = false;
  const see = (piece: Buffer): void => {
    try {
      if (isCounting) share.take(piece.length);
    } catch (error) {
      // Failure policy: the limits leave no bytes for more of this body; the caller of superviseBody() receives the error.
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

interface CollectOptions {
  watch: WatchBody;
  /** Counts a piece and returns by how many milliseconds its sender is ahead of its rate. */
  aheadMs(piece: Buffer): number;
  /** Returns true once the body has as many bytes as its Content-Length says. It is not slowed down then. */
  isWhole(): boolean;
}

/** Calls `take` with each piece until the body ends. An error that `take` throws ends the reading. */
function collectPieces(
  raw: IncomingMessage,
  { watch, aheadMs, isWhole }: CollectOptions,
  take: (piece: Buffer) => void,
): Promise<void> {
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
        // Failure policy: the reading ends, and its caller receives the error.
        return leave(() => failed(error));
      }
      if (ms <= AHEAD_MS || isWhole()) return;
      // While the socket is paused, the data waits at the sender.
      raw.pause();
      pause = setTimeout(() => raw.resume(), ms);
    };
    const onEnd = (): void => leave(done);
    const onError = (error: Error): void => leave(() => failed(error));
    const onClose = (): void => leave(() => failed(new AppError('MALFORMED_BODY', 'The request was cut off')));
    raw.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

/** Creates one buffer that grows with the data. A list of thousands of tiny pieces would take a hundred times their size in memory. */
function createGrowingBuffer(announced: number, maxBytes: number) {
  const most = announced > 0 ? announced : maxBytes;
  let buffer: Buffer = Buffer.alloc(0);
  let size = 0;
  const grow = (bytes: number): void => {
    const larger = allocateBuffer(bytes);
    buffer.copy(larger, 0, 0, size);
    buffer = larger;
  };
  return {
    size: () => size,
    bytes: () => buffer.subarray(0, size),
    add: (piece: Buffer): void => {
      const needed = size + piece.length;
      if (needed > buffer.length) grow(Math.max(needed, Math.min(most, Math.max(FIRST_BYTES, 2 * buffer.length))));
      piece.copy(buffer, size);
      size = needed;
    },
  };
}

/**
 * Returns memory for a body. V8 maps the memory of a resizable buffer by itself and returns it to the system with the buffer, although this
 * one is never resized. Other memory would stay with the process, in gaps between live objects, after many large bodies at once.
 */
const allocateBuffer = (bytes: number): Buffer =>
  bytes < LARGE_BYTES ? Buffer.allocUnsafeSlow(bytes) : Buffer.from(new ArrayBuffer(bytes, { maxByteLength: bytes }));

interface ByteShare {
  /** Reserves bytes of the limits; throws when the limits leave too few. */
  take(bytes: number): void;
  release(): void;
}

function createByteBudget({ total, perAddress }: BodyLimits, note: (bytes: number) => void) {
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
    open: (group: string): ByteShare => {
      let own = 0;
      return {
        take: (bytes) => {
          if (heldInAll + bytes > total)
            throw new AppError('UNAVAILABLE', 'Too many bodies are being received', [], soon);
          if ((heldBy.get(group) ?? 0) + bytes > perAddress)
            throw new AppError('RATE_LIMITED', 'Too many bodies are being received from this address', [], soon);
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

const makeTooLargeError = (maxBytes: number): AppError =>
  new AppError('BODY_TOO_LARGE', `The body can have at most ${maxBytes.toLocaleString('en')} bytes`);
