/** Finds rows that would make a contact larger than allowed, and reports them as errors of these rows before anything is stored. */
import { AppError } from '../../../platform/values/errors.ts';
import { expectRecordSize } from '../../../platform/values/sizes.ts';
import type { TenantTx } from '../../../platform/store/tenant.ts';
import type { CustomField, HeldValues } from '../../custom-fields/schemas.ts';
import { mergeValues, showValues } from '../../custom-fields/values.ts';
import type { Fault } from '../../imports/reading.ts';
import type { ImportPlan } from './plan.ts';
import { findHeldValues } from './queries.ts';
import { mergeCustomFields, mergePlainFields, type PersonRow } from './rows.ts';

interface SizeCheck {
  held: HeldValues;
  rows: PersonRow[];
  definitions: CustomField[];
}

/** Returns a fault when the contact would be too large with these rows, else null. */
export function findGrowthFault({ held, rows, definitions }: SizeCheck): Fault | null {
  const given = mergeCustomFields(rows);
  if (Object.keys(given).length === 0) return null;
  const plain = mergePlainFields(rows);
  try {
    const merged = mergeValues(definitions, held, given);
    const shown = { ...plain, custom_fields: showValues(definitions, merged.held) };
    expectRecordSize('custom_fields', shown);
    return null;
  } catch (error) {
    // Failure policy: all values were checked before, so an AppError is about their size and becomes a fault of the rows; any other error
    // is thrown on.
    if (error instanceof AppError)
      return { field: 'custom_fields', message: error.errors[0]?.message ?? error.message };
    throw error;
  }
}

/** Removes contacts that would become too large from the plan. Their size is checked again once they are locked. */
export async function refuseTooLarge(tx: TenantTx, plan: ImportPlan, definitions: CustomField[]): Promise<void> {
  const giving = [...plan.drafts.values()].filter(({ rows }) => Object.keys(mergeCustomFields(rows)).length > 0);
  const known = giving.filter(({ isNew }) => !isNew).map(({ _id }) => _id);
  const found = known.length > 0 ? await findHeldValues(tx, known) : [];
  const held = new Map(found.map((contact) => [contact._id, contact.held]));
  for (const { _id, rows } of giving) {
    const fault = findGrowthFault({ held: held.get(_id) ?? {}, rows, definitions });
    if (!fault) continue;
    plan.drafts.delete(_id);
    plan.failed.push(...rows.map(({ number }) => ({ number, faults: [fault] })));
  }
}
