/** Rows that would make a contact larger than it may be are told as faults of these rows, before anything is stored. */
import { AppError } from '../../platform/errors.ts';
import { expectRecordSize } from '../../platform/sizes.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import type { CustomField, HeldValues } from '../custom-fields/schemas.ts';
import { mergeValues, showValues } from '../custom-fields/values.ts';
import type { Fault } from '../imports/reading.ts';
import { findHeld } from './import-queries.ts';
import type { Person } from './import-rows.ts';

interface Growth {
  held: HeldValues;
  rows: Person[];
  definitions: CustomField[];
}

/** What is wrong with the size of a contact once these rows are in it, or null. */
export function faultOfGrowth({ held, rows, definitions }: Growth): Fault | null {
  const given = Object.assign({}, ...rows.map((row) => row.given)) as Person['given'];
  if (Object.keys(given).length === 0) return null;
  const plain = Object.assign({}, ...rows.map((row) => row.plain)) as Person['plain'];
  try {
    const merged = mergeValues(definitions, held, given);
    const shown = { ...plain, custom_fields: showValues(definitions, merged.held) };
    expectRecordSize('custom_fields', shown, { tags: plain.tags, custom_fields: showValues(definitions, held) });
    return null;
  } catch (error) {
    // Failure policy: the values were checked cell by cell, so what is refused here is their size, which is the rows' own fault.
    if (error instanceof AppError)
      return { field: 'custom_fields', message: error.errors[0]?.message ?? error.message };
    throw error;
  }
}

/** What becomes of contacts by the rows of a portion, as far as sizes are concerned. */
interface Plan {
  drafts: Map<string, { _id: string; isNew: boolean; rows: Person[] }>;
  created: number;
  updated: number;
  faults: { number: number; faults: Fault[] }[];
}

/** Takes the contacts that would become too large out of the plan. What they hold is looked at again once they are locked. */
export async function refuseTooLarge(tx: TenantTx, plan: Plan, definitions: CustomField[]): Promise<void> {
  const giving = [...plan.drafts.values()].filter(({ rows }) =>
    rows.some(({ given }) => Object.keys(given).length > 0),
  );
  const known = giving.filter(({ isNew }) => !isNew).map(({ _id }) => _id);
  const found = known.length > 0 ? await findHeld(tx, known) : [];
  const held = new Map(found.map((contact) => [contact._id, contact.held]));
  for (const { _id, isNew, rows } of giving) {
    const fault = faultOfGrowth({ held: held.get(_id) ?? {}, rows, definitions });
    if (!fault) continue;
    plan.drafts.delete(_id);
    plan.faults.push(...rows.map(({ number }) => ({ number, faults: [fault] })));
    plan.created -= isNew ? 1 : 0;
    plan.updated -= rows.length - (isNew ? 1 : 0);
  }
}
