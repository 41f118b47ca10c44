/** The time, for what is shown differently each minute. */
import { useEffect, useState } from 'react';

export const MINUTE_MS = 60_000;

/** Returns the time, again each minute. */
export function useMinute(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
