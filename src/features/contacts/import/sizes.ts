/** Finds rows that would make a contact larger than allowed, and reports them as errors of these rows before anything is stored. */
import { AppError } from '../../../platform/values/errors.ts';
import { expectRecordSize } from '../../../platform/values/sizes.ts';
import type { CustomField, HeldValues } from '../../custom-fields/schemas.ts';
import { mergeValues, showValues } from '../../custom-fields/values.ts';
import type { Fault } from '../../imports/reading.ts';
import type { PersonRow } from './rows.ts';

/** Returns the contact's values after this row, or a fault when the contact would be too large with them. */
export function growValues(
  held: HeldValues,
  { plain, given }: PersonRow,
  definitions: CustomField[],
): { held: HeldValues } | { fault: Fault } {
  if (Object.keys(given).length === 0) return { held };
  try {
    const merged = mergeValues(definitions, held, given);
    const shown = { ...plain, custom_fields: showValues(definitions, merged.held) };
    expectRecordSize('custom_fields', shown);
    return { held: merged.held };
  } catch (error) {
    // Failure policy: all values were checked before, so an AppError is about their size and becomes a fault of the row; any other error is
    // thrown on.
    if (!(error instanceof AppError)) throw error;
    return { fault: { field: 'custom_fields', message: error.errors[0]?.message ?? error.message } };
  }
}
