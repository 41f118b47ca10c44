/** Watches the free space below the embedded database: warns, closes the gate at the reserve, and opens it when there is room. */
import { stat, statfs } from 'node:fs/promises';
import type { StorageGate } from './storage.ts';
import type { Log, Metrics } from './telemetry.ts';

export interface StorageWatch {
  /** By the name that the log and the metrics give them; those on one file system are watched once. */
  folders: Record<string, string>;
  reserveBytes: number;
  /** Called at each look that finds plenty of space. */
  onPlenty?: () => Promise<void>;
}

// The warning comes while an operator still has as much again as the reserve to act.
const LOW = 2;
// How far above a bound the space must rise before it counts as passed: what a checkpoint frees for a moment is no room.
const MARGIN = 1.25;
// No look later than half of what is left could be used up by writing this fast.
const FASTEST_BYTES_PER_MS = 200_000;
const SOONEST_MS = 100;
// While there is plenty a look costs some 20 µs every so often; while writes are refused somebody waits for the next one.
const LATEST_MS = 5_000;
const REFUSING_MS = 1_000;

type Level = 'plenty' | 'low' | 'full';

interface Watched {
  name: string;
  path: string;
  level: Level;
  freeBytes: number;
}

interface Parts {
  gate: StorageGate;
  log: Log;
  metrics: Metrics;
}

/** Looks once, then goes on until the returned way to stop is taken. */
export async function watchStorage(parts: Parts, watch: StorageWatch): Promise<() => Promise<void>> {
  const watched = await distinct(watch.folders);
  parts.metrics.storageReserveBytes.set(watch.reserveBytes);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;

  function plan(): void {
    if (stopped) return;
    timer = setTimeout(
      () => {
        looking = look(parts, watch, watched).then(plan);
      },
      pauseMs(watched, watch.reserveBytes),
    ).unref();
  }

  await look(parts, watch, watched);
  plan();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await looking;
  };
}

async function distinct(folders: Record<string, string>): Promise<Watched[]> {
  const byDevice = new Map<number, Watched>();
  for (const [name, path] of Object.entries(folders)) {
    const { dev } = await stat(path);
    if (!byDevice.has(dev)) byDevice.set(dev, { name, path, level: 'plenty', freeBytes: 0 });
  }
  return [...byDevice.values()];
}

function pauseMs(watched: Watched[], reserveBytes: number): number {
  if (watched.some(({ level }) => level === 'full')) return REFUSING_MS;
  const spareBytes = Math.min(...watched.map(({ freeBytes }) => freeBytes)) - reserveBytes;
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, spareBytes / 2 / FASTEST_BYTES_PER_MS));
}

/** Never throws. */
async function look({ gate, log, metrics }: Parts, watch: StorageWatch, watched: Watched[]): Promise<void> {
  try {
    for (const place of watched) {
      const { bavail, bsize } = await statfs(place.path);
      place.freeBytes = bavail * bsize;
      metrics.storageFreeBytes.set({ folder: place.name }, place.freeBytes);
      const level = levelAt(place, watch.reserveBytes);
      if (level !== place.level) tell(log, place, level, watch.reserveBytes);
      place.level = level;
    }
    gate.setLow(watched.some(({ level }) => level === 'full'));
    if (watched.every(({ level }) => level === 'plenty')) await watch.onPlenty?.();
  } catch (error) {
    // Failure policy: what can not be looked at now is looked at again; until then the last answer counts.
    log.warn({ err: error }, 'storage: the free space can not be read');
  }
}

function levelAt({ freeBytes, level }: Watched, reserveBytes: number): Level {
  const full = reserveBytes * (level === 'full' ? MARGIN : 1);
  if (freeBytes < full) return 'full';
  return freeBytes < reserveBytes * LOW * (level === 'plenty' ? 1 : MARGIN) ? 'low' : 'plenty';
}

const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);

function tell(log: Log, { name, path, freeBytes, level: before }: Watched, level: Level, reserveBytes: number): void {
  const figures = { folder: name, path, free_mb: megabytes(freeBytes), reserve_mb: megabytes(reserveBytes) };
  if (level === 'full') log.error(figures, 'storage: less than the reserve is left; writes are refused');
  else if (before === 'full') log.info(figures, 'storage: there is room again; writes are taken');
  else if (level === 'low')
    log.warn(figures, 'storage: space gets low; writes are refused when the reserve is reached');
}
