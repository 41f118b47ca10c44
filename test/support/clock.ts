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
