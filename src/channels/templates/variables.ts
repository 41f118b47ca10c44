/** Replaces the variables in parameters by the values of one recipient. */
import { foldText } from '../../platform/values/words.ts';
import type { GivenComponent, GivenParameter } from './given.ts';

type FieldValue = string | number | boolean | string[];

/** The person whom a template is sent to, as far as its variables can name the person's values. */
export interface Recipient {
  contact: RecipientContact | null;
  /** The cells of the person's row in a sheet, by the titles of their columns. */
  columns?: Readonly<Record<string, string>>;
}

export interface RecipientContact {
  name: string | null;
  email: string | null;
  phone_number: string | null;
  country_code: string | null;
  professional_network_identifier: string | null;
  external_id: string | null;
  language: string | null;
  custom_fields: readonly { slug: string; value: FieldValue | null }[];
}

/** A variable that has no value for the recipient. */
export interface Missing {
  /** Where the variable stands: `[0].parameters[1].variable_ref`. */
  path: string;
  variable: string;
}

/** The parameters with the recipient's values in place of the variables. When `missing` is not empty, they cannot be sent. */
export interface Resolved {
  values: GivenComponent[];
  missing: Missing[];
}

/** The result can be stored, so that a later send uses the values of this moment. */
export function resolveVariables(given: readonly GivenComponent[], recipient: Recipient): Resolved {
  const missing: Missing[] = [];
  const values = given.map((component, place) => ({
    ...component,
    parameters: component.parameters.map((parameter, index) => {
      const resolved = resolveParameter(parameter, recipient);
      if (resolved) return resolved;
      missing.push({
        path: `[${place}].parameters[${index}].variable_ref`,
        variable: parameter.variable_ref ?? '',
      });
      return parameter;
    }),
  }));
  return { values, missing };
}

/** Whether any parameter names a variable, so that the recipient has to be known. */
export const hasVariables = (given: readonly GivenComponent[]): boolean =>
  given.some(({ parameters }) => parameters.some(({ variable_ref }) => variable_ref !== undefined));

const CONTACT_FIELDS = [
  'name',
  'email',
  'phone_number',
  'country_code',
  'professional_network_identifier',
  'external_id',
  'language',
] as const;

/** Where a recipient can have the value of a variable: in a field, in a custom field, or in a column of a sheet. Null means in none. */
export interface ValueSource {
  field: (typeof CONTACT_FIELDS)[number] | null;
  /** The slug of a custom field. */
  slug: string | null;
  /** The title of a column, in the form in which titles are compared. */
  column: string | null;
}

/** Returns where the values of a template's variables come from. Variables are left out whose parameter gives another value. */
export function listNeededValues(given: readonly GivenComponent[]): ValueSource[] {
  const needed = given
    .flatMap(({ parameters }) => parameters)
    .flatMap(({ variable_ref, text, value }) =>
      variable_ref === undefined || text !== undefined || value !== undefined ? [] : [variable_ref],
    );
  return [...new Set(needed)].map(findSource);
}

/** Returns where a recipient can have the value of a variable. */
export function findSource(variable: string): ValueSource {
  const [, slug = null] = CUSTOM_FIELD.exec(variable) ?? [];
  if (slug !== null) return { field: null, slug, column: null };
  const [, title = null] = COLUMN.exec(variable) ?? [];
  if (title !== null) return { field: null, slug: null, column: foldText(title.trim()) };
  const [, named] = CONTACT.exec(variable) ?? [];
  const field = CONTACT_FIELDS.find((each) => each === (named ?? variable).replace(/^first_name$/, 'name')) ?? null;
  const isBare = named === undefined;
  return { field, slug: isBare ? variable : null, column: isBare ? foldText(variable.trim()) : null };
}

/** Returns null when the recipient has no value and the parameter gives no other one. */
function resolveParameter(parameter: GivenParameter, recipient: Recipient): GivenParameter | null {
  const { variable_ref, text, value, ...rest } = parameter;
  if (variable_ref === undefined) return parameter;
  const found = findValue(variable_ref, recipient) ?? text ?? value;
  return found === undefined ? null : { ...rest, value: found };
}

const CONTACT = /^contact\.(.+)$/;
const CUSTOM_FIELD = /^(?:contact\.)?custom_fields\.(.+)$/;
const COLUMN = /^column\.(.+)$/;

/** Returns the value as text. An empty value counts as none. */
export function findValue(variable: string, recipient: Recipient): string | null {
  const [, slug] = CUSTOM_FIELD.exec(variable) ?? [];
  if (slug !== undefined) return readCustomField(slug, recipient);
  const [, field] = CONTACT.exec(variable) ?? [];
  if (field !== undefined) return readField(field, recipient);
  const [, title] = COLUMN.exec(variable) ?? [];
  if (title !== undefined) return readColumn(title, recipient);
  return readColumn(variable, recipient) ?? readField(variable, recipient) ?? readCustomField(variable, recipient);
}

function readField(field: string, { contact }: Recipient): string | null {
  if (!contact) return null;
  const { name, email, phone_number, country_code, professional_network_identifier, external_id, language } = contact;
  const first_name = toText(name)?.split(/\s+/)[0] ?? null;
  const fields = { name, email, phone_number, country_code, professional_network_identifier, external_id, language };
  return toText(new Map(Object.entries({ ...fields, first_name })).get(field) ?? null);
}

function readCustomField(slug: string, { contact }: Recipient): string | null {
  return toText(contact?.custom_fields.find((field) => field.slug === slug)?.value ?? null);
}

/** Finds a column by its title, whatever its case, accents and surrounding blanks. */
function readColumn(title: string, { columns }: Recipient): string | null {
  const wanted = foldText(title.trim());
  const [, cell] = Object.entries(columns ?? {}).find(([name]) => foldText(name.trim()) === wanted) ?? [];
  return toText(cell ?? null);
}

function toText(value: FieldValue | null): string | null {
  const text = foldBlanks(Array.isArray(value) ? value.join(', ') : String(value ?? ''));
  return text === '' ? null : text;
}

// The network takes at most four spaces in a row in a parameter, and neither tabs nor line breaks.
const MOST_BLANKS = 4;
const LINES_OR_TABS = /[\t-\r\u0085\u2028\u2029]/;

/**
 * Fits the white space of a recipient's value to the network. A run of white space that the network would refuse becomes one space; any
 * other run stays as it is. White space around the value is removed.
 */
const foldBlanks = (text: string): string =>
  text.replaceAll(/[\s\u0085]+/g, (run) => (run.length > MOST_BLANKS || LINES_OR_TABS.test(run) ? ' ' : run)).trim();
