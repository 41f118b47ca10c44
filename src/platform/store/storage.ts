/**
 * Refuses writes before the disk is full, because PostgreSQL stops when its write-ahead log cannot grow, and recovers only when there is
 * space again.
 */
import { isStorageFull } from './db.ts';
import { storageFull } from '../values/errors.ts';
import type { Log, Metrics } from '../work/telemetry.ts';

export interface Storage {
  /** Whether there is enough space to write; false while the disk is nearly full. */
  readonly hasRoom: boolean;
  /** Throws STORAGE_FULL while the disk is nearly full. */
  admit(): void;
  /** Runs a write, or throws STORAGE_FULL. When the database reports a full disk, the writes after this one are refused. */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** Calls the listener whenever `hasRoom` changes. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
}

export interface StorageGate extends Storage {
  /** Sets whether less than the reserve is left on the disk. */
  setLow(isLow: boolean): void;
}

/** Admits every write. For a process that writes once and ends: a full disk is then reported by the database. */
export const UNGUARDED: Storage = {
  hasRoom: true,
  admit: () => undefined,
  write: (work) => work(),
  onChange: () => () => undefined,
};

// After the database has reported a full disk, writes are tried again after this pause, because each failed write costs a rollback.
const REPORTED_MS = 5_000;

export function createStorageGate(log: Log, metrics: Metrics): StorageGate {
  const listeners = new Set<() => void>();
  let isLow = false;
  /** True when the database has reported a full disk and no write has succeeded since then. */
  let isReported = false;
  let pause: NodeJS.Timeout | null = null;

  const hasRoom = (): boolean => !isLow && pause === null;

  function change(apply: () => void): void {
    const before = hasRoom();
    apply();
    if (hasRoom() === before) return;
    metrics.storageRefusing.set(before ? 1 : 0);
    for (const listener of listeners) listener();
  }

  function report(error: unknown): void {
    if (!isReported) log.error({ err: error }, 'storage: the database reports a full disk; writes are refused');
    isReported = true;
    if (pause) return;
    change(() => (pause = setTimeout(() => change(() => (pause = null)), REPORTED_MS).unref()));
  }

  function admit(): void {
    if (!hasRoom()) throw storageFull();
  }

  return {
    get hasRoom() {
      return hasRoom();
    },
    admit,
    write: async (work) => {
      admit();
      try {
        const result = await work();
        if (isReported && hasRoom()) {
          isReported = false;
          log.info('storage: the database has room again');
        }
        return result;
      } catch (error) {
        if (isStorageFull(error)) report(error);
        throw error;
      }
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    setLow: (low) => change(() => (isLow = low)),
  };
}
