/**
 * Writes log lines to a file descriptor. Lines leave together, because a system call for each of them is what a busy process would
 * mostly do. A log that can not be written (its disk is full, its reader is slow) costs lines and never holds the process up.
 */
import { write, writeSync } from 'node:fs';

// Whoever follows the log sees a line this much later at most.
const FLUSH_MS = 100;
const FLUSH_BYTES = 4_096;
// A reader that has stopped reading: what it would have to catch up with after that is dropped.
const MAX_HELD_BYTES = 4 * 1024 * 1024;

export interface LogWriter {
  write(line: string): void;
  /** Writes what is held at once, as far as that is possible: the process is about to end. */
  flushSync(): void;
}

/** `dropped` makes the line that says how many were lost, once there is room again. */
export function createLogWriter(fd: number, dropped: (lines: number) => string): LogWriter {
  let held: string[] = [];
  let heldBytes = 0;
  let lost = 0;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;

  function take(): Buffer {
    const lines = lost > 0 ? [...held, dropped(lost)] : held;
    lost = 0;
    held = [];
    heldBytes = 0;
    return Buffer.from(lines.join(''));
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting || held.length === 0) return;
    isWriting = true;
    const lines = held.length + lost;
    writeAll(take(), lines);
  }

  function writeAll(bytes: Buffer, lines: number): void {
    write(fd, bytes, (error, written) => {
      if (error && isBusy(error)) return void setTimeout(() => writeAll(bytes, lines), FLUSH_MS);
      if (!error && written < bytes.length) return writeAll(bytes.subarray(written), lines);
      isWriting = false;
      // Failure policy: the next lines are tried again, and say how many are missing.
      if (error) lost += lines;
      if (heldBytes >= FLUSH_BYTES) flush();
      else if (held.length > 0) timer ??= setTimeout(flush, FLUSH_MS).unref();
    });
  }

  const flushSync = (): void => {
    if (held.length === 0) return;
    try {
      for (let bytes = take(); bytes.length > 0;) bytes = bytes.subarray(writeSync(fd, bytes));
    } catch {
      // Failure policy: the process ends, with or without its last lines.
    }
  };
  process.once('exit', flushSync);

  return {
    write: (line) => {
      if (heldBytes + line.length > MAX_HELD_BYTES) return void (lost += 1);
      held.push(line);
      heldBytes += line.length;
      if (heldBytes >= FLUSH_BYTES) flush();
      else timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    flushSync,
  };
}

/** A pipe whose reader is slow, where the system does not wait for it. */
const isBusy = (error: NodeJS.ErrnoException): boolean => error.code === 'EAGAIN' || error.code === 'EBUSY';
