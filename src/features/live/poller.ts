import { createPump } from '../../platform/work/pump.ts';

export interface Poller {
  /** Polls now, or once the poll that runs has ended. Resolves when the first poll that began after this call has ended, even if more are due. */
  poll(): Promise<void>;
  /** Polls after this time, unless a poll is planned for an earlier one. */
  plan(ms: number): void;
  /** Forgets the planned poll. */
  cancel(): void;
  /** Resolves as soon as no poll runs. */
  rest(): Promise<void>;
}

/** Runs one poll at a time, at once or at the earliest time that was planned. `run` never rejects. */
export function createPoller(run: () => Promise<void>): Poller {
  let isDue = false;
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | null = null;
  let timerMs = Infinity;
  const pump = createPump(
    (running) => isDue && running === 0,
    async () => {
      isDue = false;
      const served = waiting;
      waiting = [];
      await run();
      for (const resolve of served) resolve();
    },
  );
  const cancel = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    timerMs = Infinity;
  };
  const begin = (): void => {
    cancel();
    isDue = true;
    pump.wake();
  };
  return {
    poll: () => {
      begin();
      return new Promise((resolve) => waiting.push(resolve));
    },
    plan: (ms) => {
      const atMs = performance.now() + ms;
      if (timerMs <= atMs) return;
      cancel();
      timerMs = atMs;
      timer = setTimeout(begin, ms);
    },
    cancel,
    rest: pump.rest,
  };
}
