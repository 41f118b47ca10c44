import type { TestContext } from 'node:test';

/** Within one moment of this process's clock: how long the machine takes for it makes no difference. */
export async function atOnce(t: TestContext, act: () => Promise<void>): Promise<void> {
  const nowMs = performance.now();
  const clock = t.mock.method(performance, 'now', () => nowMs);
  try {
    await act();
  } finally {
    clock.mock.restore();
  }
}
