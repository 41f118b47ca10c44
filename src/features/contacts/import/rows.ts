/** Converts rows of a sheet to contacts: reads each cell as a field, and collects what is wrong with it. */
import { createChecker } from '../../../platform/http/compilers.ts';
import { getOwnProperty } from '../../../platform/values/own-property.ts';
import { isPhoneFault, readSheetPhone, type PhoneReader } from '../../../platform/values/phone.ts';
import { describeFailure } from '../../../platform/http/validation.ts';
import { splitList, readBoolean, toValue } from '../../imports/cells.ts';
import type { Fault, ImportRow } from '../../imports/reading.ts';
import type { CustomField, Value } from '../../custom-fields/schemas.ts';
import { findValueFault } from '../../custom-fields/values.ts';
import { identifiesNobody, NOBODY } from '../contacts.ts';
import type { ContactFields } from '../queries.ts';
import { ContactRow, IDENTITY_FIELD_NAMES, MAX_TAGS } from '../schemas.ts';
import { NAME_PARTS, PREFIX } from './titles.ts';

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

/**
 * Makes a function that converts a row to a contact. A row either fits what POST /v1/contacts accepts, or has faults. A wrong e-mail or phone
 * number is only a warning while something else says who the contact is.
 */
export function rowsToPeople({ definitions, country }: RowRules): (row: ImportRow) => ConvertedPerson {
  const byField = new Map(definitions.map((definition) => [PREFIX + definition.slug, definition]));
  return (row) => readPerson(row, byField, country);
}

type ConvertedPerson = { value: PersonRow; faults: Fault[]; warnings: Fault[] };

function readPerson(
  { number, cells }: ImportRow,
  definitions: Map<string, CustomField>,
  country: string | null,
): ConvertedPerson {
  const { given, faults } = readCustomFields(cells, definitions);
  const plain = readPlainFields(cells, country, faults);
  faults.push(...checkFields(plain, country, readSheetPhone));
  const warnings = dropContactPoints(plain, faults);
  const { _id = null, ...fields } = plain as PersonRow['plain'] & { _id?: string };
  if (_id === null && identifiesNobody({ ...NOBODY, ...fields }))
    faults.push({ field: 'name', message: 'or something that identifies the contact is required' });
  return {
    value: { number, _id, plain: fields, given },
    faults: warnings.length > 0 ? [] : faults,
    warnings,
  };
}

function readCustomFields(
  cells: ImportRow['cells'],
  definitions: Map<string, CustomField>,
): { given: Record<string, Value>; faults: Fault[] } {
  const given = new Map<string, Value>();
  const faults: Fault[] = [];
  for (const [field, cell] of cells) {
    // A field that was removed after the import began has no definition: no one would see its value.
    const definition = definitions.get(field);
    if (!definition || cell === null) continue;
    const value = toValue(definition, cell);
    const message = findValueFault(definition, value);
    if (message === null) given.set(definition.slug, value);
    else faults.push({ field, message });
  }
  return { given: Object.fromEntries(given), faults };
}

/** An address book of Google has all values of a kind in one cell, with this between them. */
const SEVERAL = ' ::: ';

function readPlainFields(cells: ImportRow['cells'], country: string | null, faults: Fault[]): Record<string, unknown> {
  const plain = new Map<string, unknown>();
  for (const [field, cell] of cells) {
    if (cell === null || field.startsWith(PREFIX)) continue;
    const texts = String(cell)
      .split(SEVERAL)
      .map((text) => text.trim());
    if (field === 'tags') {
      // Groups that Google makes by itself begin with a star.
      const tags = splitList(texts.join(';')).filter((tag) => !tag.startsWith('* '));
      // Long lists of tags are refused here, because the schema compares every item with every other one.
      if (tags.length > MAX_TAGS) faults.push({ field, message: `must be at most ${MAX_TAGS} tags` });
      else if (tags.length > 0) plain.set(field, tags);
    } else if (field === 'opted_out' || field === 'blocked') plain.set(field, readBoolean(String(cell)) ?? cell);
    else if (field === 'email' || field === 'phone_number') {
      const fits = (text: string): boolean => checkFields({ [field]: text }, country, readSheetPhone).length === 0;
      plain.set(field, texts.length > 1 ? (texts.find(fits) ?? texts[0]) : texts[0]);
    } else plain.set(field, String(cell).trim());
  }
  return joinName(plain);
}

/** Makes the name of its parts. A name next to a first name is the whole one; without a first name the other parts follow it. */
function joinName(plain: Map<string, unknown>): Record<string, unknown> {
  const [first, ...others] = NAME_PARTS.map((part) => {
    const text = plain.get(part);
    plain.delete(part);
    return text;
  });
  const isWhole = plain.has('name') && first !== undefined;
  const parts = [first ?? plain.get('name'), ...others].filter(Boolean);
  if (!isWhole && parts.length > 0) plain.set('name', parts.join(' '));
  return Object.fromEntries(plain);
}

const CONTACT_POINTS = ['email', 'phone_number'];

/**
 * Removes a wrong e-mail or phone number from the fields, if nothing else is wrong and another field says who the contact is. Returns the
 * faults that were removed with it.
 */
function dropContactPoints(plain: Record<string, unknown>, faults: readonly Fault[]): Fault[] {
  if (!faults.every(({ field }) => field !== null && CONTACT_POINTS.includes(field))) return [];
  const wrong = new Set(faults.map(({ field }) => field));
  const given = Object.keys(plain).filter((field) => !wrong.has(field));
  if (!['_id', ...IDENTITY_FIELD_NAMES].some((field) => given.includes(field))) return [];
  if (wrong.has('email')) delete plain['email'];
  if (wrong.has('phone_number')) delete plain['phone_number'];
  return [...faults];
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
