/**
 * Watches the free disk space of the embedded database: logs a warning when it gets low, and refuses writes while less than the reserve is
 * left.
 */
import { stat, statfs } from 'node:fs/promises';
import type { StorageGate } from './storage.ts';
import type { Log, Metrics } from '../work/telemetry.ts';
import { declareSettingLimit } from '../values/limits.ts';

declareSettingLimit('STORAGE_RESERVE', {
  topic: 'Operation',
  what: 'Free space on the disk of the embedded database, at least',
  unit: 'bytes',
  beyond: '503 for writes',
});

export interface StorageWatch {
  /** The folders by their name in the log and the metrics. Folders on the same file system are watched once. */
  folders: Record<string, string>;
  reserveBytes: number;
  /** Called at each check that finds plenty of space. */
  onPlenty?: () => Promise<void>;
}

// The warning is logged when less than twice the reserve is left, so that an operator has time to act.
const WARNING_FACTOR = 2;
// The space must rise to 1.25 times a limit before it counts as above it, because a checkpoint frees some space only for a moment.
const RISE_FACTOR = 1.25;
// The next check comes before writing at this speed could use up half of the space that is left above the reserve.
const FASTEST_BYTES_PER_MS = 200_000;
const SOONEST_MS = 100;
// A check takes some 20 µs. While writes are refused, checks are more frequent, because callers wait for the result.
const LATEST_MS = 5_000;
const REFUSING_MS = 1_000;

type SpaceLevel = 'plenty' | 'low' | 'full';

interface WatchedFolder {
  name: string;
  path: string;
  level: SpaceLevel;
  freeBytes: number;
}

interface WatchParts {
  gate: StorageGate;
  log: Log;
  metrics: Metrics;
}

/** Checks the space once, then at intervals. Returns a function that ends the checks. */
export async function watchStorage(parts: WatchParts, watch: StorageWatch): Promise<() => Promise<void>> {
  const watched = await listDistinctFolders(watch.folders);
  parts.metrics.storageReserveBytes.set(watch.reserveBytes);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;

  function plan(): void {
    if (stopped) return;
    timer = setTimeout(
      () => {
        looking = checkFolders(parts, watch, watched).then(plan);
      },
      choosePauseMs(watched, watch.reserveBytes),
    ).unref();
  }

  await checkFolders(parts, watch, watched);
  plan();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await looking;
  };
}

async function listDistinctFolders(folders: Record<string, string>): Promise<WatchedFolder[]> {
  const byDevice = new Map<number, WatchedFolder>();
  for (const [name, path] of Object.entries(folders)) {
    const { dev } = await stat(path);
    if (!byDevice.has(dev)) byDevice.set(dev, { name, path, level: 'plenty', freeBytes: 0 });
  }
  return [...byDevice.values()];
}

function choosePauseMs(watched: WatchedFolder[], reserveBytes: number): number {
  if (watched.some(({ level }) => level === 'full')) return REFUSING_MS;
  const spareBytes = Math.min(...watched.map(({ freeBytes }) => freeBytes)) - reserveBytes;
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, spareBytes / 2 / FASTEST_BYTES_PER_MS));
}

/** Checks the space of all folders. Never throws. */
async function checkFolders(
  { gate, log, metrics }: WatchParts,
  watch: StorageWatch,
  watched: WatchedFolder[],
): Promise<void> {
  try {
    for (const place of watched) {
      const { bavail, bsize } = await statfs(place.path);
      place.freeBytes = bavail * bsize;
      metrics.storageFreeBytes.set({ folder: place.name }, place.freeBytes);
      const level = chooseLevel(place, watch.reserveBytes);
      if (level !== place.level) logChange(log, place, level, watch.reserveBytes);
      place.level = level;
    }
    gate.setLow(watched.some(({ level }) => level === 'full'));
    if (watched.every(({ level }) => level === 'plenty')) await watch.onPlenty?.();
  } catch (error) {
    // Failure policy: when the space cannot be read, the last result remains valid until the next check.
    log.warn({ err: error }, 'storage: the free space cannot be read');
  }
}

function chooseLevel({ freeBytes, level }: WatchedFolder, reserveBytes: number): SpaceLevel {
  const full = reserveBytes * (level === 'full' ? RISE_FACTOR : 1);
  if (freeBytes < full) return 'full';
  return freeBytes < reserveBytes * WARNING_FACTOR * (level === 'plenty' ? 1 : RISE_FACTOR) ? 'low' : 'plenty';
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);

function logChange(
  log: Log,
  { name, path, freeBytes, level: before }: WatchedFolder,
  level: SpaceLevel,
  reserveBytes: number,
): void {
  const figures = { folder: name, path, free_mb: toMegabytes(freeBytes), reserve_mb: toMegabytes(reserveBytes) };
  if (level === 'full') log.error(figures, 'storage: less than the reserve is left; writes are refused');
  else if (before === 'full') log.info(figures, 'storage: there is room again; writes are taken');
  else if (level === 'low')
    log.warn(figures, 'storage: space gets low; writes are refused when the reserve is reached');
}
