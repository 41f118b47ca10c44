/** A clock for what changes each minute. */
import { useEffect, useState } from 'react';

export const MINUTE_MS = 60_000;

/** Returns the time, and updates it each minute: at the whole minutes before and after `anchor`, when a count of minutes to it changes. */
export function useMinute(anchor = 0): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = (): void => {
      const at = Date.now();
      const past = (((at - anchor) % MINUTE_MS) + MINUTE_MS) % MINUTE_MS;
      setNow(at);
      timer = setTimeout(tick, MINUTE_MS - past);
    };
    tick();
    return () => clearTimeout(timer);
  }, [anchor]);
  return now;
}
