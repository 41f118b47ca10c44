/**
 * Gathers work while work of the same kind runs: each run handles everything that waits when it begins. So many small pieces of work share
 * a statement or a transaction, and a piece that comes alone is done at once.
 */
export interface Pump {
  /** Begins a run after this turn of the event loop, if one may begin. To be called whenever work was added. */
  wake(): void;
  /** Resolves as soon as nothing runs and nothing is about to run. */
  rest(): Promise<void>;
}

/**
 * `mayBegin` decides whether a run begins beside the `running` ones; it returns false when nothing waits. `run` takes what waits at its
 * beginning, and never rejects.
 */
export function createPump(mayBegin: (running: number) => boolean, run: () => Promise<void>): Pump {
  let running = 0;
  let isPlanned = false;
  let rested: (() => void)[] = [];

  function wake(): void {
    if (isPlanned || !mayBegin(running)) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      running += 1;
      void run().finally(end);
      wake();
    });
  }

  function end(): void {
    running -= 1;
    wake();
    if (running > 0 || isPlanned) return;
    for (const resolve of rested) resolve();
    rested = [];
  }

  return {
    wake,
    rest: () => new Promise((resolve) => (running > 0 || isPlanned ? void rested.push(resolve) : resolve())),
  };
}
