/** Fills in a template with the values of one recipient, or explains why the recipient cannot get the message. */
import { clipText } from '../../platform/values/words.ts';
import { composeTemplate, type ApprovedTemplate, type FilledTemplate } from './compose.ts';
import type { Fault, GivenComponent, GivenParameter } from './given.ts';
import { resolveVariables, type Recipient } from './variables.ts';

export interface UnfilledTemplate {
  code: 'MISSING_VARIABLE' | 'INVALID_PARAMETER';
  /** A sentence that names the variable, and the value that does not fit. */
  message: string;
}

interface Filling {
  template: ApprovedTemplate;
  given: readonly GivenComponent[];
  /** Where times are read; null for UTC. */
  timeZone: string | null;
}

export const isUnfilled = (filled: FilledTemplate | UnfilledTemplate): filled is UnfilledTemplate => 'code' in filled;

export function fillForRecipient(
  { template, given, timeZone }: Filling,
  recipient: Recipient,
): FilledTemplate | UnfilledTemplate {
  const { values, missing } = resolveVariables(given, recipient);
  const [absent] = missing;
  if (absent) return { code: 'MISSING_VARIABLE', message: `${absent.variable} has no value for this contact` };
  const filled = composeTemplate(template, values, timeZone);
  if (!('faults' in filled)) return filled;
  const [fault] = filled.faults;
  return { code: 'INVALID_PARAMETER', message: fault ? describeFault(fault, given, values) : 'does not fit' };
}

// A longer value is cut in the sentence.
const MAX_SHOWN = 100;

function describeFault(
  { path, message }: Fault,
  given: readonly GivenComponent[],
  values: readonly GivenComponent[],
): string {
  const [, component = '', parameter = ''] = /^\[(\d+)\](?:\.parameters(?:\[(\d+)\])?)?/.exec(path) ?? [];
  const asked = given[Number(component)]?.parameters ?? [];
  const found = values[Number(component)]?.parameters ?? [];
  const length = (index: number): number => (asked[index]?.variable_ref ? readText(found[index]).length : 0);
  // Where a text as a whole is too long, the longest value of a variable is the one to shorten.
  const longest = found.reduce((best, _, index) => (length(index) > length(best) ? index : best), 0);
  const place = parameter === '' ? longest : Number(parameter);
  const variable = asked[place]?.variable_ref;
  if (component === '' || variable === undefined) return `components${path} ${message}`;
  return `${variable} "${clipText(readText(found[place]), MAX_SHOWN)}" ${message}`;
}

const readText = (parameter: GivenParameter | undefined): string => String(parameter?.value ?? parameter?.text ?? '');
