/**
 * A line in which whoever waits takes turns by key: a batch takes one item of each key, then a second one of each, and so on. A
 * single item therefore stands in the next batch, however many of another key came before it.
 */

export interface Waiting {
  /** Whose turn it is: for callbacks, the address of the inbox. */
  key: string;
  /** How many elements it has, of those that a batch may hold. */
  size: number;
}

export interface BatchLimits {
  /** Of a whole batch. An item that is larger by itself goes alone. */
  size: number;
  /** Of one key in a batch: the others need not wait until much of it is done. */
  sizePerKey: number;
}

export interface Line<T extends Waiting> {
  add(item: T): void;
  /** Elements of all that wait. */
  waiting(): number;
  nextBatch(): T[];
}

export function createLine<T extends Waiting>(limits: BatchLimits): Line<T> {
  /** In the order of their next turn. */
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
    // More keys than this have no room in a batch.
    let round = [...queues.entries().take(limits.size)];
    while (round.length > 0) round = round.filter(([key, queue]) => takeFirst(key, queue));
    for (const key of sizes.keys()) moveBehind(key);
    waiting -= size;
    return batch;
  }

  function moveBehind(key: string): void {
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
  };
}
