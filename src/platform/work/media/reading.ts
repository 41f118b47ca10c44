/** Has a child process do a piece of work on a file, so that no file can stop this process from serving. */
import type { ByteSource } from '../../store/byte-source.ts';
import type { ChildReader, ChildReaders } from '../child-readers.ts';
import { ChildEnded } from '../child.ts';
import { AppError } from '../../values/errors.ts';
import { fileFault, TOO_MUCH_MEMORY } from '../file-fault.ts';

export interface FileReading {
  /** The company whose share of the child processes is used. */
  owner: string;
  source: ByteSource;
  /** Ends the work, for example when the caller closes the connection. */
  signal?: AbortSignal;
}

export interface FileWork<A> {
  /** Requests one piece of work after another. It begins anew when the child process has ended. */
  work(reader: ChildReader): Promise<A>;
  /** How long the caller waits for the result, with the wait for its turn. */
  patienceMs: number;
  /** False for work that nobody waits for: it takes turns with other work, but no place of those who wait. */
  isAwaited?: boolean;
}

// A child process may have ended for a reason outside of the file, so a second one tries once more.
const ATTEMPTS = 2;

/** The request of a piece of work, and the CPU time that it may use. */
interface OnePiece extends Omit<FileWork<unknown>, 'work'> {
  request: object;
  cpuMs: number;
}

/** Has one piece of work done. Throws like workInChild(). */
export const readInChild = <A>(
  readers: ChildReaders,
  reading: FileReading,
  { request, cpuMs, ...piece }: OnePiece,
): Promise<A> => workInChild(readers, reading, { ...piece, work: (reader) => reader.ask<A>(request, cpuMs) });

/** Throws an AppError about the part `file` when the file is broken, and UNAVAILABLE when its turn does not come soon. */
export async function workInChild<A>(
  readers: ChildReaders,
  { owner, source, signal }: FileReading,
  { work, patienceMs, isAwaited = true }: FileWork<A>,
): Promise<A> {
  const late = AbortSignal.timeout(patienceMs);
  const ending = signal ? AbortSignal.any([signal, late]) : late;
  const workOnce = async (): Promise<A> => {
    for (let attempt = 1; ; attempt += 1) {
      const reader = readers.open(owner, source, { signal: ending, isAwaited });
      try {
        return await work(reader);
      } catch (error) {
        // Failure policy: a file for which a child uses too much time or memory is refused; other errors are thrown on.
        if (!(error instanceof ChildEnded)) throw error;
        if (ending.aborted) throw new AppError('UNAVAILABLE', 'The file took too long to read', [], RETRY);
        if (error.why === 'LATE') throw fileFault('takes too long to read', 'TOO_SLOW');
        if (attempt === ATTEMPTS) throw fileFault(TOO_MUCH_MEMORY);
      } finally {
        reader.close();
      }
    }
  };
  return isAwaited ? readers.admit(owner, workOnce) : workOnce();
}

const RETRY = { 'retry-after': '5' };
