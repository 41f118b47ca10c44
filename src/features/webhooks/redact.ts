/** What deliveries said of a contact that was erased is taken out of them, a portion of the log at a time. The lines stay. */
import type { Kit } from '../../kit.ts';
import { closeWorkers } from './ahead-queries.ts';
import { redactPortion, type LogPlace, type RedactStep } from './queries.ts';

// Their bodies are read: some tens of milliseconds.
const PORTION = 1_000;

/** May be repeated, and begun again where it was interrupted: what is redacted already names nobody. */
export async function redactDeliveries(kit: Kit, company: string, contacts: string[]): Promise<void> {
  let after: LogPlace | null = null;
  do {
    const step: RedactStep = { contacts, after, limit: PORTION };
    const portion = await kit.database.tenantTx(company, (tx) => redactPortion(tx, step));
    if (portion && portion.workers.length > 0) await closeWorkers(kit.database.system('upkeep'), portion.workers);
    after = portion;
  } while (after !== null);
}
