import type { TestContext } from 'node:test';

/** Runs `act` while this process's clock stands still, so that a slow machine makes no difference. */
export async function runWithStoppedClock(t: TestContext, act: () => Promise<void>): Promise<void> {
  const nowMs = performance.now();
  const clock = t.mock.method(performance, 'now', () => nowMs);
  try {
    await act();
  } finally {
    clock.mock.restore();
  }
}

/** Stops this process's clock until the end of the test. Returns a function that moves it on. */
export function stopClock(t: TestContext): (ms: number) => void {
  // A whole number, to which others can be added exactly.
  let nowMs = Math.ceil(performance.now());
  t.mock.method(performance, 'now', () => nowMs);
  return (ms) => void (nowMs += ms);
}
