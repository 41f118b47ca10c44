/** Does work once for all callers that need its result at the same moment. */
export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>;

/** Calls with the same key share one piece of work as long as it runs. */
export function createSingleFlight<T>(): SingleFlight<T> {
  const running = new Map<string, Promise<T>>();
  return (key, work) => {
    const shared = running.get(key);
    if (shared) return shared;
    const begun = work().finally(() => running.delete(key));
    running.set(key, begun);
    return begun;
  };
}
