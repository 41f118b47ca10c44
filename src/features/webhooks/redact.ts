/**
 * Erases the contents of deliveries about an erased contact, one portion of the log at a time. The deliveries themselves stay in the log.
 */
import type { Kit } from '../../kit.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { redactPortion, type DeliveryPlace } from './queries.ts';

// Reading the bodies of so many deliveries takes some tens of milliseconds.
const PORTION = 1_000;

/** Can be repeated and started again after an interruption: deliveries without contents do not match any contact. */
export async function redactDeliveries(kit: Kit, company: string, contacts: string[]): Promise<void> {
  await workInPortions((after: DeliveryPlace | null) =>
    kit.database.tenantTx(company, (tx) => redactPortion(tx, { contacts, after, limit: PORTION })),
  );
}
