/**
 * Writes log lines to a file descriptor. Several lines are written at once, because a system call for each would take much of a busy
 * process's time. When the log cannot be written (full disk, slow reader), lines are dropped, and the process is never blocked.
 */
import { write, writeSync } from 'node:fs';

// The longest time until a line is written.
const FLUSH_MS = 100;
const FLUSH_BYTES = 4_096;
// The bytes of buffered lines beyond which lines are dropped when the reader of the log has stopped reading.
const MAX_HELD_BYTES = 4 * 1024 * 1024;

export interface LogWriter {
  write(line: string): void;
  /** Calls `done` when every line that waits now has been written, or is lost. */
  flush(done: () => void): void;
  /** Writes the lines that wait synchronously, as far as possible, because the process is about to end. */
  flushSync(): void;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** Creates a writer. `dropped` formats the line that reports how many lines were lost; it is written when writing works again. */
export function createLogWriter(fd: number, dropped: (lines: number) => string): LogWriter {
  const held = createLineBuffer(dropped);
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  const refused: RefusedWrite = { bytes: NOTHING };
  let waiting: (() => void)[] = [];

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    if (held.size() === 0) return settle();
    isWriting = true;
    const { bytes, lines } = held.take();
    writeAll(fd, bytes, refused, (error) => ended(lines, error));
  }

  function settle(): void {
    for (const done of waiting) done();
    waiting = [];
  }

  function ended(lines: number, error: Error | null): void {
    isWriting = false;
    // Failure policy: these lines are lost; the next write reports how many lines are missing.
    if (error) held.lose(lines);
    if (held.size() >= FLUSH_BYTES || waiting.length > 0) flush();
    else if (held.size() > 0) timer ??= setTimeout(flush, FLUSH_MS).unref();
  }

  const flushSync = (): void => {
    const bytes = Buffer.concat([refused.bytes, held.take().bytes]);
    refused.bytes = NOTHING;
    writeSynchronously(fd, bytes);
  };
  process.once('exit', flushSync);

  return {
    write: (line) => {
      held.add(line);
      if (held.size() >= FLUSH_BYTES) flush();
      else timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    flush: (done) => {
      waiting.push(done);
      flush();
    },
    flushSync,
  };
}

/** The bytes that a slow reader has refused, and that are tried again. */
interface RefusedWrite {
  bytes: Buffer;
}

/** Writes all bytes, however slow the reader is. */
function writeAll(fd: number, all: Buffer, refused: RefusedWrite, done: (error: Error | null) => void): void {
  refused.bytes = NOTHING;
  write(fd, all, (error, written) => {
    if (error && isDestinationBusy(error)) {
      refused.bytes = all;
      setTimeout(() => writeAll(fd, refused.bytes, refused, done), FLUSH_MS);
    } else if (!error && written < all.length) writeAll(fd, all.subarray(written), refused, done);
    else done(error);
  });
}

/** Holds the lines that wait to be written. */
function createLineBuffer(dropped: (lines: number) => string) {
  let held: string[] = [];
  let bytes = 0;
  let lost = 0;
  return {
    size: () => bytes,
    add: (line: string) => {
      if (bytes + line.length > MAX_HELD_BYTES) return void (lost += 1);
      held.push(line);
      bytes += line.length;
    },
    lose: (lines: number) => void (lost += lines),
    /** Removes all lines. `lines` is their number, with those that were lost before. */
    take: () => {
      const all = held.length > 0 && lost > 0 ? [...held, dropped(lost)] : held;
      const taken = { bytes: Buffer.from(all.join('')), lines: held.length + lost };
      if (held.length > 0) lost = 0;
      held = [];
      bytes = 0;
      return taken;
    },
  };
}

function writeSynchronously(fd: number, all: Buffer): void {
  try {
    for (let bytes = all; bytes.length > 0;) bytes = bytes.subarray(writeSync(fd, bytes));
  } catch {
    // Failure policy: the process ends even if its last lines cannot be written.
  }
}

/** Returns true when the output is a pipe whose reader is slow. */
const isDestinationBusy = (error: NodeJS.ErrnoException): boolean => error.code === 'EAGAIN' || error.code === 'EBUSY';
