/** What records hold of a field that is gone is taken out afterwards, a portion at a time. Nobody sees it any more. */
import type { Kit } from '../../kit.ts';
import { stripValues, type StripStep } from './queries.ts';
import type { FieldContext } from './schemas.ts';

// A transaction of some milliseconds, for which nobody's change of these records has to wait noticeably.
const PORTION = 1_000;

/** May be repeated, and begun again where it was interrupted: what is stripped already is passed over. */
export async function stripField(kit: Kit, company: string, field: string, context: FieldContext): Promise<void> {
  let after: string | null = '';
  while (after !== null) {
    const step: StripStep = { context, field, after, limit: PORTION };
    after = await kit.database.tenantTx(company, (tx) => stripValues(tx, step));
  }
}
