import type { Fault } from '../../channels/templates/given.ts';
import { AppError, type FieldError } from '../../platform/values/errors.ts';

/** Makes the VALIDATION_FAILED error for parameters that do not fit a template. `path` is the place of the components in the request. */
export function makeFaultsError(faults: readonly Fault[], path: string): AppError {
  const errors: FieldError[] = faults.map((fault) => ({ ...fault, path: `${path}${fault.path}` }));
  const [first] = errors;
  return new AppError('VALIDATION_FAILED', first && `${first.path} ${first.message}`, errors);
}
