/**
 * A queue in which keys take turns: a batch takes one item of each key, then a second one of each, and so on. A single item is
 * therefore in the next batch, however many items of another key came before it.
 */

export interface WaitingItem {
  /** The key that takes turns: for callbacks, the address of the inbox. */
  key: string;
  /** The number of elements in this item; a batch holds a limited number of elements. */
  size: number;
}

export interface BatchLimits {
  /** The most elements in a batch. A larger item gets its own batch. */
  size: number;
  /** The most elements of one key in a batch, so that the other keys need not wait for many of them. */
  sizePerKey: number;
}

export interface TurnQueue<T extends WaitingItem> {
  add(item: T): void;
  /** The number of elements of all items that wait. */
  waiting(): number;
  nextBatch(): T[];
  /** Removes and returns all items. */
  takeAll(): T[];
}

export function createTurnQueue<T extends WaitingItem>(limits: BatchLimits): TurnQueue<T> {
  /** The waiting items by key; the keys are in the order of their next turn. */
  const queues = new Map<string, T[]>();
  let waiting = 0;

  function nextBatch(): T[] {
    const batch: T[] = [];
    let size = 0;
    const sizes = new Map<string, number>();
    const takeFirst = (key: string, queue: T[]): boolean => {
      const [item] = queue;
      const own = sizes.get(key) ?? 0;
      if (!item || (size > 0 && size + item.size > limits.size)) return false;
      if (own > 0 && own + item.size > limits.sizePerKey) return false;
      batch.push(item);
      queue.shift();
      size += item.size;
      sizes.set(key, own + item.size);
      return true;
    };
    // A batch can contain at most this many keys.
    let round = [...queues.entries().take(limits.size)];
    while (round.length > 0) round = round.filter(([key, queue]) => takeFirst(key, queue));
    for (const key of sizes.keys()) moveToEnd(key);
    waiting -= size;
    return batch;
  }

  function moveToEnd(key: string): void {
    const queue = queues.get(key);
    queues.delete(key);
    if (queue && queue.length > 0) queues.set(key, queue);
  }

  return {
    add: (item) => {
      waiting += item.size;
      const queue = queues.get(item.key);
      if (queue) queue.push(item);
      else queues.set(item.key, [item]);
    },
    waiting: () => waiting,
    nextBatch,
    takeAll: () => {
      const all = [...queues.values()].flat();
      queues.clear();
      waiting = 0;
      return all;
    },
  };
}
