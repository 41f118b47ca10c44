/** What workers leave that die while they send something: answers of agents, follow-ups and scheduled messages. */
import type { Kit } from '../../../kit.ts';

/** The longest calls to a network for a text and a file, and the time to store the outcomes. After it the worker counts as dead. */
export const SETTLE_SECONDS = 120;

interface LeftWork<T> {
  /** The name of the loop in the log. */
  name: string;
  take(): Promise<T[]>;
  settle(kit: Kit, work: T): Promise<void>;
}

/** Ends what dead workers have left. Never throws. */
export async function settleLeftWork<T extends { _id: string }>(
  kit: Kit,
  { name, take, settle }: LeftWork<T>,
): Promise<void> {
  try {
    const left = await take();
    await Promise.all(left.map((work) => endOrLog(kit, name, work, settle)));
  } catch (error) {
    // Failure policy: a later sweep finds them again.
    kit.log.warn({ err: error }, `${name}: what a dead worker has left could not be found`);
  }
}

/** Ends one piece of work. Never throws. */
export async function endOrLog<T extends { _id: string }>(
  kit: Kit,
  name: string,
  work: T,
  end: (kit: Kit, work: T) => Promise<void>,
): Promise<void> {
  try {
    await end(kit, work);
  } catch (error) {
    // Failure policy: what cannot be ended now does not hold up the others, and is found again later.
    kit.log.warn({ err: error, work: work._id }, `${name}: what was begun could not be ended`);
  }
}
