/** Converts rows of a sheet to contacts: reads each cell as a field, and collects what is wrong with it. */
import { createChecker } from '../../../platform/http/compilers.ts';
import { getOwnProperty } from '../../../platform/values/own-property.ts';
import { isPhoneFault, readSheetPhone, type PhoneReader } from '../../../platform/values/phone.ts';
import { describeFailure } from '../../../platform/http/validation.ts';
import { foldText } from '../../../platform/values/words.ts';
import { splitList, readBoolean, toValue } from '../../imports/cells.ts';
import type { FieldFinder } from '../../imports/imports.ts';
import type { Fault, ImportRow } from '../../imports/reading.ts';
import type { CustomField, Value } from '../../custom-fields/schemas.ts';
import { findValueFault } from '../../custom-fields/values.ts';
import { identifiesNobody, NOBODY } from '../contacts.ts';
import type { ContactFields } from '../queries.ts';
import { ContactRow, MAX_TAGS } from '../schemas.ts';

/** The fields of a contact that a sheet can have, under the names of the record. */
const PLAIN_FIELDS = [
  'name',
  'email',
  'phone_number',
  'professional_network_identifier',
  'external_id',
  'avatar_url',
  'language',
  'tags',
  'business',
  'owner',
  'opted_out',
  'blocked',
] as const;

/** Common titles that people give to columns of contacts, in small letters without accents. */
const ALIASES = new Map<string, (typeof PLAIN_FIELDS)[number]>([
  ['nome', 'name'],
  ['nome completo', 'name'],
  ['full name', 'name'],
  ['e mail', 'email'],
  ['phone', 'phone_number'],
  ['telefone', 'phone_number'],
  ['celular', 'phone_number'],
  ['mobile', 'phone_number'],
  ['numero de telefone', 'phone_number'],
  ['whatsapp', 'phone_number'],
  ['idioma', 'language'],
]);

const PREFIX = 'custom_fields.';

const foldTitle = (text: string): string =>
  foldText(text)
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();

/** Finds the field for a column title: `_id`, the name of a field or a common title of it, or the slug, id or title of a custom field. */
export function createFieldFinder(definitions: CustomField[]): FieldFinder {
  return (title) => {
    // Only the exact title `_id` means our id, because a column called ID most often holds a number of the caller's own.
    if (title === '_id') return title;
    const name = foldTitle(title);
    const plain = PLAIN_FIELDS.find((field) => foldTitle(field) === name) ?? ALIASES.get(name);
    if (plain) return plain;
    const key = title.startsWith(PREFIX) ? title.slice(PREFIX.length) : title;
    const field =
      definitions.find(({ _id, slug }) => _id === key || slug === key) ??
      definitions.find((each) => foldTitle(each.title) === name);
    return field && PREFIX + field.slug;
  };
}

export interface PersonRow {
  number: number;
  /** The contact that the row names by its id; null when it is found by its identities or is new. */
  _id: string | null;
  /** The fields for which the row has values. */
  plain: Partial<Omit<ContactFields, 'held'>>;
  /** The custom field values of the row, by slug; null clears one. */
  given: Record<string, Value | null>;
}

/** Merges the values that several rows give to one contact; the last row wins. */
export const mergeCustomFields = (rows: PersonRow[]): PersonRow['given'] =>
  Object.assign({}, ...rows.map(({ given }) => given));

const rowChecker = createChecker(ContactRow);

export interface RowRules {
  definitions: CustomField[];
  /** The country of phone numbers that are written without + or 00; null: such numbers are refused. */
  country: string | null;
}

/** Makes a function that converts a row to a contact. A row either fits what POST /v1/contacts accepts, or has faults. */
export function rowsToPeople({
  definitions,
  country,
}: RowRules): (row: ImportRow) => { value: PersonRow; faults: Fault[] } {
  const byField = new Map(definitions.map((definition) => [PREFIX + definition.slug, definition]));
  return (row) => readPerson(row, byField, country);
}

function readPerson(
  row: ImportRow,
  definitions: Map<string, CustomField>,
  country: string | null,
): { value: PersonRow; faults: Fault[] } {
  const cells = new Map<string, unknown>();
  const given = new Map<string, Value>();
  const faults: Fault[] = [];
  for (const [field, cell] of row.cells) {
    if (cell === null) continue;
    if (field.startsWith(PREFIX)) {
      const definition = definitions.get(field);
      // The field was removed after the import began, so nobody would see its value.
      if (!definition) continue;
      const value = toValue(definition, cell);
      const message = findValueFault(definition, value);
      if (message === null) given.set(definition.slug, value);
      else faults.push({ field, message });
    } else if (field === 'tags') {
      const tags = splitList(String(cell));
      // Long lists of tags are refused here, because the schema compares every item with every other one.
      if (tags.length > MAX_TAGS) faults.push({ field, message: `must be at most ${MAX_TAGS} tags` });
      else cells.set(field, tags);
    } else if (field === 'opted_out' || field === 'blocked') cells.set(field, readBoolean(String(cell)) ?? cell);
    else cells.set(field, String(cell).trim());
  }
  const plain: Record<string, unknown> = Object.fromEntries(cells);
  faults.push(...checkFields(plain, country, readSheetPhone));
  const { _id = null, ...fields } = plain as PersonRow['plain'] & { _id?: string };
  if (_id === null && identifiesNobody({ ...NOBODY, ...fields }))
    faults.push({ field: 'name', message: 'or something that identifies the contact has to be there' });
  return { value: { number: row.number, _id, plain: fields, given: Object.fromEntries(given) }, faults };
}

/**
 * Checks the fields of one contact by the rules of POST /v1/contacts and returns what is wrong with them. A valid phone number is replaced
 * by its stored form and country code; `reader` is how the number is read.
 */
export function checkFields(plain: Record<string, unknown>, country: string | null, reader: PhoneReader): Fault[] {
  const faults = findFaults(plain);
  if (typeof plain['phone_number'] !== 'string') return faults;
  const read = reader(plain['phone_number'], country);
  if (isPhoneFault(read)) return [...faults, { field: 'phone_number', message: read.message }];
  Object.assign(plain, read);
  return faults;
}

/** Keeps the first fault of each field: one message is enough to correct the cell. */
function findFaults(plain: Record<string, unknown>): Fault[] {
  const faults = new Map<string, Fault>();
  for (const failure of rowChecker.findFailures(plain)) {
    const [field = ''] = failure.instancePath.slice(1).split('/');
    if (!faults.has(field))
      faults.set(field, { field: field || null, message: getOwnProperty(WORDS, field) ?? describeFailure(failure) });
  }
  return [...faults.values()];
}

/** Messages for fields where those of the schema would be about patterns and types. */
const WORDS: Record<string, string> = {
  _id: 'must be the id of a contact',
  email: 'is not an e-mail address',
  avatar_url: 'must be a web address',
  language: 'must be a language such as pt-BR',
  opted_out: 'must be true or false',
  blocked: 'must be true or false',
  business: 'must be the id of a business',
  owner: 'must be the id of a user',
};
