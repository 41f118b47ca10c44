/** Erases the values of a removed field from all records, a portion at a time. */
import type { Kit } from '../../kit.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { stripValues } from './queries.ts';
import type { FieldContext } from './schemas.ts';

// This many records take some milliseconds, so no other change of these records waits noticeably.
const PORTION = 1_000;

/** Erases the values of a removed field. The job may run again after an interruption and skips erased values. */
export async function stripField(kit: Kit, company: string, field: string, context: FieldContext): Promise<void> {
  await workInPortions((last: string | null) =>
    kit.database.tenantTx(company, (tx) => stripValues(tx, { context, field, after: last ?? '', limit: PORTION })),
  );
}
