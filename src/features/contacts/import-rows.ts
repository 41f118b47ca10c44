/** Rows of a sheet as people: what each cell means, and what is wrong with it. */
import { Compile } from 'typebox/compile';
import { foldText } from '../../platform/words.ts';
import { listOf, truthOf, valueOfCell } from '../imports/cells.ts';
import type { FieldFinder } from '../imports/imports.ts';
import type { ImportRow } from '../imports/work.ts';
import type { CustomField, Value } from '../custom-fields/schemas.ts';
import { faultOf } from '../custom-fields/values.ts';
import { parsePhone } from './phone.ts';
import { isNobody, NOBODY } from './contacts.ts';
import type { ContactFields } from './queries.ts';
import { ContactRow } from './schemas.ts';

/** What a sheet can hold of a contact, under the names of the record. */
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

/** What people call these columns, in small letters without accents. */
const ALIASES: Record<string, (typeof PLAIN_FIELDS)[number]> = {
  nome: 'name',
  'nome completo': 'name',
  'full name': 'name',
  'e mail': 'email',
  phone: 'phone_number',
  telefone: 'phone_number',
  celular: 'phone_number',
  whatsapp: 'phone_number',
  idioma: 'language',
};

const PREFIX = 'custom_fields.';

const folded = (text: string): string =>
  foldText(text)
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();

/** `_id`, or a field by its name, by what people call it, or by slug, id or title of a custom field. */
export function fieldFinder(definitions: CustomField[]): FieldFinder {
  return (title) => {
    // To the letter: what people call ID is most often a number of their own.
    if (title === '_id') return title;
    const name = folded(title);
    const plain = PLAIN_FIELDS.find((field) => folded(field) === name) ?? ALIASES[name];
    if (plain) return plain;
    const key = title.startsWith(PREFIX) ? title.slice(PREFIX.length) : title;
    const field =
      definitions.find(({ _id, slug }) => _id === key || slug === key) ??
      definitions.find((each) => folded(each.title) === name);
    return field && PREFIX + field.slug;
  };
}

export interface Person {
  number: number;
  /** The contact that the row names; null: it is known by what it is called, or new. */
  _id: string | null;
  /** Only what the row gives. */
  plain: Partial<Omit<ContactFields, 'held'>>;
  /** By slug. */
  given: Record<string, Value>;
}

export interface Fault {
  field: string | null;
  message: string;
}

const checked = Compile(ContactRow);

/** A row fits what POST /v1/contacts takes, or has faults. */
export function readPerson(row: ImportRow, definitions: CustomField[]): { person: Person; faults: Fault[] } {
  const plain: Record<string, unknown> = {};
  const given: Record<string, Value> = {};
  const faults: Fault[] = [];
  for (const [field, cell] of row.cells) {
    if (cell === null) continue;
    if (field.startsWith(PREFIX)) {
      const definition = definitions.find(({ slug }) => PREFIX + slug === field);
      // Removed since the import began: nobody would see its value.
      if (!definition) continue;
      const value = valueOfCell(definition, cell);
      const message = faultOf(definition, value);
      if (message === null) given[definition.slug] = value;
      else faults.push({ field, message });
    } else if (field === 'tags') plain[field] = listOf(String(cell));
    else if (field === 'opted_out' || field === 'blocked') plain[field] = truthOf(String(cell)) ?? cell;
    else plain[field] = String(cell).trim();
  }
  if (!checked.Check(plain)) faults.push(...faultsOf(plain));
  if (typeof plain['phone_number'] === 'string') {
    const phone = parsePhone(plain['phone_number']);
    if (phone) Object.assign(plain, phone);
    else faults.push({ field: 'phone_number', message: 'is not a valid phone number' });
  }
  const { _id = null, ...fields } = plain as Person['plain'] & { _id?: string };
  if (_id === null && isNobody({ ...NOBODY, ...fields }))
    faults.push({ field: 'name', message: 'or something that identifies the contact has to be there' });
  return { person: { number: row.number, _id, plain: fields, given }, faults };
}

/** The first of each field: a reader mends the cell, not its faults. */
function faultsOf(plain: Record<string, unknown>): Fault[] {
  const faults = new Map<string, Fault>();
  for (const { instancePath, message } of checked.Errors(plain)) {
    const [field = ''] = instancePath.slice(1).split('/');
    if (!faults.has(field)) faults.set(field, { field: field || null, message: WORDS[field] ?? message });
  }
  return [...faults.values()];
}

/** Where the schema's own words would be about patterns and types. */
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
