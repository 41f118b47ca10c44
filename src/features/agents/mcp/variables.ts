/** The arguments of a look-up: which values of a contact they name, and what they are for one contact. */
import { findSource, findValue, type RecipientContact } from '../../../channels/templates/variables.ts';
import { invalid } from '../../../platform/values/errors.ts';
import type { McpServer } from './schemas.ts';

type LookUp = NonNullable<McpServer['look_up']>;
export type Arguments = LookUp['arguments'];

const VARIABLE = /\{\{\s*([^{}]*?)\s*\}\}/g;
const OF_CONTACT = /^(?:contact|custom_fields)\./;

/** Throws VALIDATION_FAILED for a tool that is not approved, or a variable that names no value of a contact. */
export function checkLookUp(
  lookUp: LookUp | null,
  tools: readonly Pick<McpServer['tools'][number], 'name'>[],
): LookUp | null {
  if (lookUp === null) return null;
  if (!tools.some(({ name }) => name === lookUp.tool))
    throw invalid('look_up.tool', 'is not the name of an approved tool of the server');
  for (const [name, given] of Object.entries(lookUp.arguments)) {
    const variables = [...String(given).matchAll(VARIABLE)].map(([, variable = '']) => variable);
    const wrong = variables.find((variable) => !OF_CONTACT.test(variable) || !namesValue(variable));
    if (wrong !== undefined)
      throw invalid(`look_up.arguments.${name}`, `has the variable {{${wrong}}}, which is not a value of a contact`);
  }
  return lookUp;
}

function namesValue(variable: string): boolean {
  const { field, slug } = findSource(variable);
  return field !== null || slug !== null;
}

/** Returns the arguments for the contact, and the variables for which the contact has no value. */
export function fillIn(wanted: Arguments, contact: RecipientContact): { given: Arguments; missing: string[] } {
  const missing = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(VARIABLE, (_written, variable: string) => {
      const value = findValue(variable, { contact });
      if (value === null) missing.add(variable);
      return value ?? '';
    });
  const given = Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => [name, typeof value === 'string' ? fill(value) : value]),
  );
  return { given, missing: [...missing] };
}
