/** Handles the report of a network that the connection of an inbox has changed. */
import type { Kit } from '../../kit.ts';
import { CheckReported } from './jobs.ts';

/** A network often reports several states within a moment, for example while a phone connects. The check begins after them. */
const SETTLES_SECONDS = 3;

/** Enqueues a check of the inbox, whatever its status is now. Reports that arrive before the check begins share it. */
export const enqueueCheck = (
  kit: Kit,
  tx: Parameters<Kit['enqueue']>[0],
  { company, inbox }: { company: string; inbox: string },
): Promise<void> => kit.enqueue(tx, CheckReported, { company, inbox }, { key: inbox, delaySeconds: SETTLES_SECONDS });
