/** A list that keeps its newest `capacity` items, so that a long benchmark can't fill the memory. Numbering goes on after a clear. */
export type Ring<T> = { items: (T | undefined)[]; capacity: number; firstSeq: number; nextSeq: number };

export function createRing<T>(capacity: number): Ring<T> {
  return { items: [], capacity, firstSeq: 1, nextSeq: 1 };
}

/** Appends the item made for the next number (from 1); answers the item that fell out, if one did. */
export function push<T>(ring: Ring<T>, item: T): T | undefined {
  const slot = ring.nextSeq % ring.capacity;
  const evicted = ring.items[slot];
  ring.items[slot] = item;
  ring.nextSeq += 1;
  if (ring.nextSeq - ring.firstSeq > ring.capacity) ring.firstSeq = ring.nextSeq - ring.capacity;
  return evicted;
}

/** The items numbered above `after`, oldest first. */
export function since<T>(ring: Ring<T>, after: number): T[] {
  const found: T[] = [];
  for (let seq = Math.max(after + 1, ring.firstSeq); seq < ring.nextSeq; seq += 1) {
    const item = ring.items[seq % ring.capacity];
    if (item !== undefined) found.push(item);
  }
  return found;
}

export function clear<T>(ring: Ring<T>): void {
  ring.items = [];
  ring.firstSeq = ring.nextSeq;
}
