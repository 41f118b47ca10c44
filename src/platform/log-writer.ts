/**
 * Writes log lines to a file descriptor. Several lines are written at once, because a system call for each would take much of a busy
 * process's time. When the log can not be written (full disk, slow reader), lines are dropped, and the process is never blocked.
 */
import { write, writeSync } from 'node:fs';

// The longest time until a line is written.
const FLUSH_MS = 100;
const FLUSH_BYTES = 4_096;
// The bytes of buffered lines beyond which lines are dropped when the reader of the log has stopped reading.
const MAX_HELD_BYTES = 4 * 1024 * 1024;

export interface LogWriter {
  write(line: string): void;
  /** Writes the buffered lines synchronously, as far as possible, because the process is about to end. */
  flushSync(): void;
}

/** Creates a writer. `dropped` formats the line that reports how many lines were lost; it is written when writing works again. */
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
      // Failure policy: these lines are lost; the next write reports how many lines are missing.
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
      // Failure policy: the process ends even if its last lines can not be written.
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

/** Returns true when the output is a pipe whose reader is slow. */
const isBusy = (error: NodeJS.ErrnoException): boolean => error.code === 'EAGAIN' || error.code === 'EBUSY';
