/** Marks work that no caller waits for, such as that of a queue or a job. */
import { AsyncLocalStorage } from 'node:async_hooks';

const context = new AsyncLocalStorage<true>();

/** Runs work, and all that it begins, as background work. */
export const inBackground = <T>(work: () => T): T => context.run(true, work);

export const isInBackground = (): boolean => context.getStore() === true;
