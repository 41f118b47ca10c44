/** The scene's other records, and values that make sense for them in a body. */
import { COLUMNS, OPERATORS } from '../../../src/features/contacts/list/filter-queries.ts';
import { FIELD_CONTEXTS, FIELD_TYPES, type FieldType } from '../../../src/features/custom-fields/schemas.ts';
import { newId } from '../../../src/platform/ids.ts';
import type { Chance } from '../harness/chance.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { call, type Stage, type Tenant } from '../harness/stage.ts';
import { makeSheet } from './forms.ts';
import { INHERITED, NAUGHTY } from './strings.ts';

/** The slug of the field in each context, and of the table's column, for a type: `till_text`. */
const makeSlug = (type: FieldType): string => `till_${type.toLowerCase()}`;
export const TEXT_FIELD = makeSlug('TEXT');
const SLUGS = FIELD_TYPES.map(makeSlug);

/** Names of inherited properties that are allowed as a column's key. */
const INHERITED_SLUGS = INHERITED.filter((name) => /^[a-z][a-z0-9_]*$/.test(name));

const VALUES: Record<FieldType, unknown[]> = {
  TEXT: ['Ana', ''],
  NUMBER: [7, -1.5, 1e300, 0],
  BOOLEAN: [true, false],
  DATE: ['2026-11-20', '0001-01-01'],
  SELECT: ['one', 'two'],
  LIST: [['one'], [], ['one', 'two']],
};

export interface FurnishedRecords {
  fields: string[];
  table: string;
  rows: string[];
  /** Records that no request may delete. */
  kept: string[];
}

/** Creates an agent, fields, businesses, pipelines and a table with rows, enough of each that requests may delete some. */
export async function furnishRecords(
  { store }: Stage,
  { url }: PlatformProcess,
  { _id: company, key }: Tenant,
): Promise<FurnishedRecords> {
  const make = async (path: string, body: object): Promise<string> =>
    (await call(201, 'POST', `${url}/v1/${path}`, { key, body }))._id;
  await store.sql('insert into agents (company_id, _id, name) values ($1, $2, $3)', [company, newId(), 'Bot']);
  const columns = FIELD_TYPES.map((type) => {
    const options = type === 'SELECT' ? { options: ['one', 'two'] } : {};
    return { title: makeSlug(type), type, ...options };
  });
  const fields: string[] = [];
  for (const context of FIELD_CONTEXTS) {
    for (const column of columns) fields.push(await make('custom-fields', { ...column, slug: column.title, context }));
    await make('custom-fields', { title: 'spare', context, type: 'TEXT' });
  }
  for (const name of ['Bakery', 'Butcher', 'Grocer']) await make('businesses', { name });
  for (const name of ['Sales', 'Support']) await make('pipelines', { name, steps: [{ name: 'New' }, { name: 'Old' }] });
  const table = await make('tables', {
    name: 'Till',
    columns: columns.map((column) => ({ ...column, key: column.title })),
  });
  await make('tables', { name: 'Spare' });
  const rows: string[] = [];
  for (const till_text of ['Ana', 'Bea', 'Cid']) rows.push(await make(`tables/${table}/rows`, { data: { till_text } }));
  return { fields, table, rows, kept: [...fields, table] };
}

interface Known {
  fields: string[];
  inbox: string;
}

/** Suggestions by the field's name; see Hint. */
export function recordHints({ fields, inbox }: Known): Record<string, (chance: Chance) => unknown> {
  const values = FIELD_TYPES.map((type) => [makeSlug(type), (chance: Chance) => chance.pick(VALUES[type])] as const);
  // A key that no record has, and a name that every object inherits.
  const odd = (chance: Chance): string => chance.pick(['nobody', chance.pick(INHERITED)]);
  const key = (chance: Chance): string => chance.pick([...SLUGS, ...SLUGS, odd(chance), odd(chance)]);
  return {
    ...Object.fromEntries(values),
    'custom_fields.*': (chance) => (chance.int(6) === 0 ? chance.pick(fields) : key(chance)),
    'data.*': key,
    'mapping.*': (chance) => chance.pick(['name', 'email', 'till_text', 'till_number', odd(chance)]),
    'mapping{}': (chance) => chance.pick(['name', 'email', 'owner', 'business', 'tags', ...SLUGS, odd(chance)]),
    // The title of a field or column, as a sheet shows it.
    title: (chance) => (chance.int(3) === 0 ? chance.pick(INHERITED) : null),
    filters: (chance) => makeFilters(chance, fields),
    file: makeSheet,
    inbox: () => inbox,
    // Only few different numbers are used, so that each is repeated.
    phone_number: (chance) => `+55 11 9${8_000 + chance.int(9)}-000${chance.int(9)}`,
    external_id: (chance) => `customer-${chance.int(40)}`,
    snoozed_until: () => '2099-01-01T00:00:00.000Z',
    // The slug of a table, and the key of one of its columns.
    slug: (chance) => `slug_${chance.int(1_000)}`,
    key: (chance) => chance.pick([...SLUGS, 'note', chance.pick(INHERITED_SLUGS), `key_${chance.int(9)}`]),
    drop_columns: (chance) => chance.pick(SLUGS),
  };
}

/** Filters of contacts, some of them invalid. */
function makeFilters(chance: Chance, fields: string[]): string {
  const names = [...COLUMNS.map((column) => `contact.${column}`), ...fields];
  const value = (): unknown =>
    chance.pick([chance.pick(NAUGHTY).slice(0, 200), 'ana', '%', '7', 7, true, null, ['one'], -0.5]);
  const filter = (): unknown => ({
    field: chance.int(10) === 0 ? chance.pick(NAUGHTY).slice(0, 50) : chance.pick(names),
    operator: chance.int(10) === 0 ? 'like' : chance.pick(OPERATORS),
    ...(chance.int(8) === 0 ? {} : { value: value() }),
    ...(chance.int(20) === 0 ? { surprise: 1 } : {}),
  });
  return JSON.stringify(Array.from({ length: chance.int(20) === 0 ? 16 : chance.int(4) }, filter));
}
