/**
 * Erases the contents of deliveries about an erased contact, one portion of the log at a time. The deliveries themselves stay in the log.
 */
import type { Kit } from '../../kit.ts';
import { workInPortions } from '../../platform/portions.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { redactPortion, type DeliveryPlace, type RedactStep } from './queries.ts';
import { closeWorkers } from './worker-queries.ts';

// Reading the bodies of so many deliveries takes some tens of milliseconds.
const PORTION = 1_000;

/** Can be repeated and started again after an interruption: deliveries without contents do not match any contact. */
export async function redactDeliveries(kit: Kit, company: string, contacts: string[]): Promise<void> {
  await workInPortions((after: DeliveryPlace | null) =>
    kit.database.systemTx('upkeep', (tx) => redactNextPortion(tx, { company, contacts, after, limit: PORTION })),
  );
}

/**
 * Closes the workers that hold contents in the transaction that erases these: a repeated call would no longer find the deliveries, and so
 * not the workers either.
 */
async function redactNextPortion(tx: SystemTx, step: RedactStep): Promise<DeliveryPlace | null> {
  const portion = await redactPortion(tx, step);
  if (portion && portion.workers.length > 0) await closeWorkers(tx, portion.workers);
  return portion;
}
