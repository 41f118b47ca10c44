/** A clock for what changes each minute. */
import { useEffect, useState } from 'react';

export const MINUTE_MS = 60_000;

/** Returns the time, and updates it each minute. */
export function useMinute(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
