/**
 * Finds the vectors that are nearest to a question by comparing it with all vectors of an owner, in a thread of its own, so that requests do
 * not wait for it. The vectors of the owners that were searched last are kept in memory.
 */
import { createSingleFlight } from '../../work/single-flight.ts';
import type { NearestQuestion, NearVector, VectorBlock } from './protocol.ts';
import { createVectorThread, type VectorThread } from './thread-client.ts';

/** Reads the stored vectors of one owner. */
export interface VectorSource {
  /** Rises whenever the vectors change. */
  version: number;
  /** Lists the keys of all blocks. */
  list(): Promise<string[]>;
  /** Reads the blocks with these keys, except those that are gone. */
  read(keys: string[]): Promise<VectorBlock[]>;
}

export interface NearestVectors {
  find(question: NearestQuestion, source: VectorSource): Promise<NearVector[]>;
  close(): Promise<void>;
}

// The vectors of two of the largest companies with a large model, or of some hundred usual ones.
const MAX_BYTES = 256 * 1024 * 1024;
// A portion of blocks has a megabyte or two, which takes this process some milliseconds.
const PORTION = 16;

/** What the thread has of an owner. */
interface KeptVectors {
  version: number;
  /** The bytes of each block by its key. */
  blocks: Map<string, number>;
  isLoading: boolean;
}

/** By owner; the one that was searched last is the last one. */
type KeptOwners = Map<string, KeptVectors>;

export function createNearestVectors(maxBytes = MAX_BYTES): NearestVectors {
  const owners: KeptOwners = new Map();
  const thread = createVectorThread(() => owners.clear());
  const loadOnce = createSingleFlight<void>();
  return {
    find: async (question, source) => {
      const { owner } = question;
      while ((owners.get(owner)?.version ?? -1) < source.version)
        await loadOnce(owner, () => loadVectors({ owners, thread, source, owner }));
      touch(owners, owner);
      dropOldest(owners, thread, maxBytes);
      return thread.ask(question);
    },
    close: () => thread.close(),
  };
}

/** Makes the owner the one that was searched last. */
function touch(owners: KeptOwners, owner: string): void {
  const kept = owners.get(owner);
  owners.delete(owner);
  if (kept) owners.set(owner, kept);
}

interface Loading {
  owners: KeptOwners;
  thread: VectorThread;
  source: VectorSource;
  owner: string;
}

/** Gives the thread the vectors that the owner has got since the last time, and removes those that are gone. */
async function loadVectors({ owners, thread, source, owner }: Loading): Promise<void> {
  const kept = owners.get(owner) ?? { version: -1, blocks: new Map<string, number>(), isLoading: true };
  kept.isLoading = true;
  owners.set(owner, kept);
  try {
    const listed = await source.list();
    const current = new Set(listed);
    const gone = [...kept.blocks.keys()].filter((key) => !current.has(key));
    for (const key of gone) kept.blocks.delete(key);
    if (gone.length > 0) thread.tell({ owner, remove: gone });
    const missing = listed.filter((key) => !kept.blocks.has(key));
    for (let at = 0; at < missing.length; at += PORTION) {
      const blocks = await source.read(missing.slice(at, at + PORTION));
      for (const { key, values } of blocks) kept.blocks.set(key, values.byteLength);
      thread.tell({ owner, add: blocks });
    }
    kept.version = source.version;
  } finally {
    kept.isLoading = false;
  }
}

/** Drops the owners whose last search is the longest ago until the others fit; the last one stays in any case. */
function dropOldest(owners: KeptOwners, thread: VectorThread, maxBytes: number): void {
  let bytes = [...owners.values()].reduce((sum, kept) => sum + countBytes(kept), 0);
  for (const [owner, kept] of [...owners].slice(0, -1)) {
    if (bytes <= maxBytes) return;
    if (kept.isLoading) continue;
    bytes -= countBytes(kept);
    owners.delete(owner);
    thread.tell({ owner, remove: null });
  }
}

const countBytes = ({ blocks }: KeptVectors): number => blocks.values().reduce((sum, bytes) => sum + bytes, 0);
