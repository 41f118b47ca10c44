import { createPump } from '../../platform/work/pump.ts';

export interface Looks {
  /** Looks now, or after the look that runs. Resolves after the first look that began later than this call, whatever follows it. */
  look(): Promise<void>;
  /** Looks after this time, unless a look is planned for an earlier one. */
  plan(ms: number): void;
  /** Forgets the planned look. */
  cancel(): void;
  /** Resolves as soon as no look runs. */
  rest(): Promise<void>;
}

/** Runs one look at a time, at once or at the earliest time that was planned. `run` never rejects. */
export function createLooks(run: () => Promise<void>): Looks {
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
    look: () => {
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
