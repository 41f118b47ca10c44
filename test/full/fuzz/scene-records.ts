/** The scene's other records, and values that make sense for them in a body. */
import { COLUMNS } from '../../../src/features/contacts/list/filter-queries.ts';
import { OPERATORS } from '../../../src/platform/store/filters/items.ts';
import { FIELD_CONTEXTS, FIELD_TYPES, type FieldType } from '../../../src/features/custom-fields/schemas.ts';
import type { Chance } from '../harness/chance.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { call, type Stage, type Tenant } from '../harness/stage.ts';
import { makeSheet } from './forms.ts';
import { INHERITED, NAUGHTY } from './strings.ts';

/** Returns the slug of the custom field, and of the table column, that has this type: `till_text`. */
const makeSlug = (type: FieldType): string => `till_${type.toLowerCase()}`;
export const TEXT_FIELD = makeSlug('TEXT');
const SLUGS = FIELD_TYPES.map(makeSlug);

/** Names of inherited object properties, such as `constructor`, that are valid keys of columns. */
const INHERITED_SLUGS = INHERITED.filter((name) => /^[a-z][a-z0-9_]*$/.test(name));

const VALUES: Record<FieldType, unknown[]> = {
  TEXT: ['Ana', ''],
  NUMBER: [7, -1.5, 1e300, 0],
  BOOLEAN: [true, false],
  DATE: ['2026-11-20', '0001-01-01'],
  SELECT: ['one', 'two'],
  LIST: [['one'], [], ['one', 'two']],
};

export interface SceneRecords {
  fields: string[];
  table: string;
  rows: string[];
  /** The ids of records that no request may delete. */
  kept: string[];
}

/** Creates an agent, fields, businesses, pipelines and a table with rows, enough of each that requests may delete some. */
export async function createSceneRecords(
  { store }: Stage,
  { url }: PlatformProcess,
  { _id: company, key }: Tenant,
): Promise<SceneRecords> {
  const make = async (path: string, body: object): Promise<string> =>
    (await call(201, 'POST', `${url}/v1/${path}`, { key, body }))._id;
  for (const name of ['Ana', 'Bia', 'Caio']) await make('agents', { name, type: 'AI' });
  await store.sql(
    `insert into agent_turns (company_id, _id, agent_id, conversation_id, asked_id, outcome, passages, latency_ms)
      select v.company_id, v._id, a._id, v._id, v._id, 'ANSWERED', '[]', 1 from conversations v join agents a on a.company_id = v.company_id
      where v.company_id = $1 and a.name = 'Ana'`,
    [company],
  );
  await store.sql(
    `insert into follow_ups (company_id, _id, agent_id, conversation_id, index, content, scheduled_at, held_until)
      select v.company_id, v._id, a._id, v._id, 0, 'Hello', '2099-01-01', '2099-01-01'
      from conversations v join agents a on a.company_id = v.company_id where v.company_id = $1 and a.name = 'Ana'`,
    [company],
  );
  await store.sql(
    `insert into scheduled_messages (company_id, _id, conversation_id, actor, message, send_at, held_until)
      select company_id, _id, _id, jsonb_build_object('type', 'company', 'id', _id, 'name', 'Till'),
        '{"contentType": "TEXT", "content": "Hello", "attachment": null, "template": null}', '2099-01-01', '2099-01-01'
      from conversations where company_id = $1`,
    [company],
  );
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
  for (const shortcut of ['hello', 'bye', 'thanks'])
    await make('quick-replies', { title: 'Till', shortcut, content: 'Olá {{contact.name}}' });
  for (const name of ['Urgent', 'Open', 'Mine'])
    await make('segments', { name, is_shared: true, filters: { search: 'ana' } });
  for (const name of ['Urgent', 'Open', 'Mine'])
    await make('views', { name, is_shared: true, filters: { open: true } });
  const contacts = await store.sql<{ _id: string }>(
    'select _id from contacts where company_id = $1 order by _id limit 3',
    [company],
  );
  for (const { _id } of contacts) await make(`contacts/${_id}/notes`, { content: 'Till' });
  for (const name of ['Hours', 'Prices', 'Delivery'])
    await make('knowledge/autcl', { name, content: '# Till\n\nOpen at nine.' });
  for (const add_tags of [['vip'], ['shop']]) await make('conversations/bulk', { filter: {}, change: { add_tags } });
  for (const add_tags of [['vip'], ['shop']]) await make('contacts/bulk-changes', { filter: {}, change: { add_tags } });
  const [inbox] = await store.sql<{ _id: string }>(
    'select _id from inboxes where company_id = $1 order by _id limit 1',
    [company],
  );
  for (const template of TEMPLATES) await make('campaigns', { name: 'Till', inbox: inbox?._id, steps: [{ template }] });
  await store.sql(
    `insert into campaign_enrollments (company_id, _id, campaign_id, contact_id, next_run_at)
      select k.company_id, new_id(), k._id, c._id, '2099-01-01' from campaigns k join contacts c on c.company_id = k.company_id
      where k.company_id = $1`,
    [company],
  );
  const table = await make('tables', {
    name: 'Till',
    columns: columns.map((column) => ({ ...column, key: column.title })),
  });
  await make('tables', { name: 'Spare' });
  const rows: string[] = [];
  for (const till_text of ['Ana', 'Bea', 'Cid']) rows.push(await make(`tables/${table}/rows`, { data: { till_text } }));
  return { fields, table, rows, kept: [...fields, table] };
}

interface KnownRecords {
  fields: string[];
  inbox: string;
}

/** Returns functions that suggest values, by the name of the field. */
export function createRecordSuggestions({ fields, inbox }: KnownRecords): Record<string, (chance: Chance) => unknown> {
  const values = FIELD_TYPES.map((type) => [makeSlug(type), (chance: Chance) => chance.pick(VALUES[type])] as const);
  // Returns a key that no record has, or the name of a property that every object inherits.
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
    audience: (chance) => makeAudience(chance, fields),
    file: makeSheet,
    inbox: () => inbox,
    // Two out of three are templates that every account of the sandbox has, with the parameters that they take.
    template: (chance) => chance.pick([...TEMPLATES, null]),
    templateName: (chance) => chance.pick(TEMPLATES).name,
    languageCode: () => 'pt_BR',
    ...Object.fromEntries(['link', 'imageUrl', 'documentUrl', 'videoUrl'].map((field) => [field, () => FILE_URL])),
    // Only a few different numbers are used, so that many contacts get the same number.
    phone_number: (chance) => `+55 11 9${8_000 + chance.int(9)}-000${chance.int(9)}`,
    external_id: (chance) => `customer-${chance.int(40)}`,
    snoozed_until: () => '2099-01-01T00:00:00.000Z',
    send_at: () => new Date(Date.now() + 86_400_000).toISOString(),
    until: () => '2099-01-01T00:00:00.000Z',
    // The slug of a table, and the key of one of its columns.
    slug: (chance) => `slug_${chance.int(1_000)}`,
    key: (chance) => chance.pick([...SLUGS, 'note', chance.pick(INHERITED_SLUGS), `key_${chance.int(9)}`]),
    drop_columns: (chance) => chance.pick(SLUGS),
    ...WEB_CHAT,
  };
}

/** Settings of a web chat, some of which make no sense together. */
const WEB_CHAT: Record<string, (chance: Chance) => unknown> = {
  allowed_origins: (chance) => `https://${chance.pick(['', '*.'])}shop-${chance.int(9)}.example`,
  color: () => '#2563eb',
  identity_secret: (chance) => chance.pick(['a-secret-of-a-site-with-32-letters', 'short']),
  office_hours: (chance) => ({
    time_zone: chance.pick(['America/Sao_Paulo', 'Nowhere/Land']),
    days: [{ day: 'MON', from: '09:00', to: chance.pick(['18:00', '08:00']) }],
    away_text: null,
  }),
  days: (chance) => ({ day: 'MON', from: '09:00', to: chance.pick(['18:00', '08:00']) }),
  date: (chance) => chance.pick(['2026-12-25', '2026-12-24', '2026-02-30']),
  special_dates: (chance) =>
    chance.pick([
      { date: '2026-12-25', name: 'Christmas', spans: [] },
      { date: '2026-12-24', name: '', spans: [{ from: '09:00', to: chance.pick(['12:00', '08:00']) }] },
      { date: '2026-02-30', name: '', spans: [] },
    ]),
  questions: (chance) =>
    chance.pick([
      { kind: 'NAME', required: true },
      { kind: 'CUSTOM_FIELD', slug: chance.pick(SLUGS), required: false },
      { kind: 'CUSTOM_FIELD', slug: 'nobody', required: false },
      { kind: 'EMAIL', slug: TEXT_FIELD, required: false },
    ]),
};

const FILE_URL = 'https://example.com/a.png';

const TEMPLATES = [
  { name: 'hello_world', language: 'pt_BR' },
  { name: 'order_update', language: 'pt_BR', components: [{ parameters: [{ text: 'Ana' }, { text: '4821' }] }] },
];

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

/** An audience of a campaign, whose filters may name a field that does not exist. */
function makeAudience(chance: Chance, fields: string[]): object {
  const field = chance.pick([...COLUMNS.map((column) => `contact.${column}`), ...fields, 'f'.repeat(24)]);
  const filter = { field, operator: chance.pick(OPERATORS), value: chance.pick(['ana', '7', '%']) };
  return chance.pick([{}, { tags: ['vip'] }, { filters: [filter] }, { filters: [filter], tags: ['vip', 'shop'] }]);
}
