/** A list that keeps its newest `capacity` items, so that a long benchmark cannot fill the memory. */
export type Ring<T> = { items: (T | undefined)[]; capacity: number; firstSeq: number; nextSeq: number };

/** Creates an empty ring whose items are numbered after those of the ring that it replaces. */
export function createRing<T>(capacity: number, replaced?: Ring<T>): Ring<T> {
  const nextSeq = replaced?.nextSeq ?? 1;
  return { items: [], capacity, firstSeq: nextSeq, nextSeq };
}

/** Adds an item under the next number (from 1). Returns the item that was dropped for it, if there was one. */
export function pushToRing<T>(ring: Ring<T>, item: T): T | undefined {
  const slot = ring.nextSeq % ring.capacity;
  const evicted = ring.items[slot];
  ring.items[slot] = item;
  ring.nextSeq += 1;
  if (ring.nextSeq - ring.firstSeq > ring.capacity) ring.firstSeq = ring.nextSeq - ring.capacity;
  return evicted;
}

/** Lists the items with a number above `after`, oldest first. */
export function listSince<T>(ring: Ring<T>, after: number): T[] {
  const found: T[] = [];
  for (let seq = Math.max(after + 1, ring.firstSeq); seq < ring.nextSeq; seq += 1) {
    const item = ring.items[seq % ring.capacity];
    if (item !== undefined) found.push(item);
  }
  return found;
}
