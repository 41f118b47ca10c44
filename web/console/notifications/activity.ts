/** Tells the platform that the user is in front of the console, so that they are not mailed what they can see. */
import { parley } from '../client.ts';

const EVERY_MS = 60_000;
/** What only a person does. */
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/** A tab that is only open, or in the background, says nothing. */
export function followActivity(signal: AbortSignal): void {
  let saidAt = -EVERY_MS;
  const say = (): void => {
    if (document.visibilityState !== 'visible' || performance.now() - saidAt < EVERY_MS) return;
    saidAt = performance.now();
    // Failure policy: the next sign tells the platform again.
    parley.notifications.beActive({ repeatForMs: 0 }).catch(() => undefined);
  };
  for (const sign of SIGNS) document.addEventListener(sign, say, { signal, passive: true });
  document.addEventListener('visibilitychange', say, { signal });
  say();
}
