/**
 * Erases the contents of deliveries about an erased contact, one portion of the log at a time. The deliveries themselves stay in the log.
 */
import type { Kit } from '../../kit.ts';
import { closeWorkers } from './ahead-queries.ts';
import { redactPortion, type LogPlace, type RedactStep } from './queries.ts';

// Reading the bodies of so many deliveries takes some tens of milliseconds.
const PORTION = 1_000;

/** Can be repeated and started again after an interruption: deliveries without contents do not match any contact. */
export async function redactDeliveries(kit: Kit, company: string, contacts: string[]): Promise<void> {
  let after: LogPlace | null = null;
  do {
    const step: RedactStep = { contacts, after, limit: PORTION };
    const portion = await kit.database.tenantTx(company, (tx) => redactPortion(tx, step));
    if (portion && portion.workers.length > 0) await closeWorkers(kit.database.system('upkeep'), portion.workers);
    after = portion;
  } while (after !== null);
}
