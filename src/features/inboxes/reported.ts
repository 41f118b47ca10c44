/** Handles the report of a network that something about an inbox has changed, which the platform then asks for. */
import type { Kit } from '../../kit.ts';
import { CheckReported, ReadStanding } from './jobs.ts';

/** A network often reports several states within a moment, for example while a phone connects. The check begins after them. */
const SETTLES_SECONDS = 3;

interface ReportedInbox {
  company: string;
  inbox: string;
}

/** Enqueues a check of the inbox, whatever its status is now. Reports that arrive before the check begins share it. */
export const enqueueCheck = (
  kit: Kit,
  tx: Parameters<Kit['enqueue']>[0],
  { company, inbox }: ReportedInbox,
): Promise<void> => kit.enqueue(tx, CheckReported, { company, inbox }, { key: inbox, delaySeconds: SETTLES_SECONDS });

/** Enqueues the question how the network rates the number of the inbox. Reports that arrive before it is asked share it. */
export const enqueueStanding = (
  kit: Kit,
  tx: Parameters<Kit['enqueue']>[0],
  { company, inbox }: ReportedInbox,
): Promise<void> => kit.enqueue(tx, ReadStanding, { company, inbox }, { key: inbox, delaySeconds: SETTLES_SECONDS });
