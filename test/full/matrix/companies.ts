/** Two companies on one platform, each with a record of every kind and a unique word planted in all texts. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/platform/ids.ts';
import {
  connectPhone,
  freshPhone,
  networkId,
  notification,
  openNetwork,
  wamid,
  written,
} from '../../support/network.ts';
import type { CallOptions, Json, Platform } from '../../support/platform.ts';
import { until } from '../../support/wait.ts';
import { buildForm } from './forms.ts';

export interface Side {
  /** The company's id, and a key with every scope. */
  _id: string;
  key: string;
  /** The id of a record of each kind, as the document names the kinds. */
  records: Record<string, string>;
  /** Texts that no other company may see: ids, planted words, network numbers and their tokens. */
  secrets: string[];
  marker: string;
  /** The slugs of records that can also be named by one. */
  slugs: Record<string, string>;
  /** Records that the next request may delete. */
  fresh: Record<string, string>;
  /** The token of a mailed link, and its user. */
  linkToken: string;
  linkUser: string;
}

/** The company's record of this kind. Fails for a kind that the document names and createSide() does not create. */
export function findId({ records }: Side, kind: string): string {
  const id = records[kind];
  assert.ok(id, `createSide() in companies.ts has no ${kind}`);
  return id;
}

/** Creates a company with every kind of record. */
export async function createSide(platform: Platform): Promise<Side> {
  const marker = `planted${randomBytes(8).toString('hex')}`;
  const company = await platform.createCompany(`${marker} company`);
  const user = await platform.createUser(company._id, 'VIEWER', `${marker} user`);
  const agent = await insertAgent(platform, company._id, user._id, marker);
  const phoneId = networkId();
  const inbox = { name: `${marker} inbox`, default_agent: agent, default_owner: user._id };
  const phone = await connectPhone(platform, { company, id: phoneId, inbox });
  const from = freshPhone();
  const thread = await converse(platform, phone, { from, marker });
  const slugs = {
    'contact-field': `${marker}_c`,
    'conversation-field': `${marker}_v`,
    'business-field': `${marker}_b`,
    column: `${marker}_column`,
  };
  const own = { user: user._id, agent, inbox: phone.inbox, ...thread };
  const made = await createRecords(platform, company, { ...own, slugs, marker });
  const webhook = await createWebhook(platform, company, marker);
  const delivery = await insertDelivery(platform, company._id, webhook, { resource: thread.message, marker });
  const records = {
    company: company._id,
    'api-key': company.keyId,
    'audit-entry': await findAuditEntry(platform, company._id),
    // A column has no id: only its key names it.
    column: newId(),
    ...own,
    ...made,
    webhook,
    delivery,
  };
  return {
    _id: company._id,
    key: company.key,
    records,
    secrets: [marker, phoneId, phone.waba, from, ...Object.values(records)],
    marker,
    slugs,
    fresh: {},
    linkToken: '',
    linkUser: '',
  };
}

interface Begun {
  user: string;
  agent: string;
  contact: string;
  conversation: string;
  slugs: Record<'contact-field' | 'conversation-field' | 'business-field' | 'column', string>;
  marker: string;
}

/** Creates the records that a company creates itself, with every reference that they can have. */
async function createRecords(platform: Platform, { key }: { key: string }, begun: Begun) {
  const { user, agent, contact, conversation, slugs, marker } = begun;
  const write = async (method: string, path: string, body: Json): Promise<Json> =>
    (await platform.call(method === 'POST' ? 201 : 200, method, path, { key, body })).body;
  const field = async (context: string, slug: string): Promise<string> =>
    (await write('POST', '/v1/custom-fields', { title: slug, slug, context, type: 'TEXT' }))._id;
  const fields = {
    'contact-field': await field('contact', slugs['contact-field']),
    'conversation-field': await field('conversation', slugs['conversation-field']),
    'business-field': await field('business', slugs['business-field']),
  };
  const common = { owner: user, custom_fields: { [fields['business-field']]: marker } };
  const business = (await write('POST', '/v1/businesses', { ...common, name: `${marker} business` }))._id;
  const person = { owner: user, business, custom_fields: { [fields['contact-field']]: marker }, tags: [marker] };
  await write('PATCH', `/v1/contacts/${contact}`, person);
  const steps = [{ name: marker }];
  const pipeline = await write('POST', '/v1/pipelines', { name: marker, steps });
  const step = pipeline.steps[0]._id;
  const values = { custom_fields: { [fields['conversation-field']]: marker }, tags: [marker] };
  await write('PATCH', `/v1/conversations/${conversation}`, { owner: user, attendant: user, agent, step, ...values });
  const sheets = await createSheets(platform, key, { contact, business, marker, column: slugs.column });
  return { ...fields, business, pipeline: pipeline._id, step, ...sheets };
}

/** Creates a table with a row, and imports a sheet into it and one of contacts. */
async function createSheets(
  platform: Platform,
  key: string,
  { contact, business, marker, column }: Record<'contact' | 'business' | 'marker' | 'column', string>,
) {
  const post = async (path: string, options: CallOptions): Promise<string> =>
    (await platform.call(201, 'POST', path, { key, ...options })).body._id;
  const columns = [
    { key: 'note', title: marker, type: 'TEXT' },
    { key: column, type: 'TEXT' },
  ];
  const table = await post('/v1/tables', { body: { name: `${marker} table`, slug: marker, columns } });
  const body = { data: { note: marker }, contact_id: contact, business_id: business };
  const row = await post(`/v1/tables/${table}/rows`, { body });
  const tableImport = await post(`/v1/tables/${table}/import`, buildForm({ file: `note\n${marker}\n` }));
  const contactImport = await post('/v1/contacts/import', buildForm({ file: `name\n${marker} imported\n` }));
  await settle(platform);
  return { table, row, 'contact-import': contactImport, 'table-import': tableImport };
}

/** Finds the audit's line about the creation of the inbox. */
async function findAuditEntry({ database }: Platform, company: string): Promise<string> {
  const [row] = await database.sql<{ _id: string }>('select _id from audit_log where company_id = $1 limit 1', [
    company,
  ]);
  assert.ok(row, 'an inbox was made and the audit does not know it');
  return row._id;
}

/** Inserts an agent, which no operation can create yet, and plants the marker in the user's address. */
async function insertAgent({ database }: Platform, company: string, user: string, marker: string): Promise<string> {
  const agent = newId();
  const { sql } = database;
  const email = `${marker}@example.test`;
  await sql(
    `with person as (
        insert into people (email, password_hash)
        select $3, p.password_hash from users u join people p on p.email = lower(u.email) where u.company_id = $1 and u._id = $2
      )
      update users set email = $3 where company_id = $1 and _id = $2`,
    [company, user, email],
  );
  await sql('insert into agents (company_id, _id, name) values ($1, $2, $3)', [company, agent, `${marker} agent`]);
  return agent;
}

/** Makes a contact write, and returns the stored message with its conversation and its contact. */
async function converse(
  platform: Platform,
  phone: Awaited<ReturnType<typeof connectPhone>>,
  { from, marker }: { from: string; marker: string },
) {
  const network = await openNetwork(platform);
  const id = wamid();
  const contacts = [{ wa_id: from, profile: { name: `${marker} contact` } }];
  const messages = [written({ id, from, text: { body: `${marker} message` } })];
  await network.post(200, notification({ phone, value: { contacts, messages } }));
  const [row] = await platform.database.sql<{ message: string; conversation: string; contact: string }>(
    'select _id as message, conversation_id as conversation, contact_id as contact from messages where external_id = $1',
    [id],
  );
  assert.ok(row, 'the message of a contact was not stored');
  return row;
}

/** Creates a webhook for an event that never happens here, so that no delivery changes what a test compares. */
export async function createWebhook(platform: Platform, { key }: { key: string }, marker: string): Promise<string> {
  const { body } = await platform.call(201, 'POST', '/v1/webhooks', {
    key,
    body: {
      url: `${platform.sandboxUrl}/receiver/${marker}`,
      events: ['FOLLOWUP_SENT'],
      custom_headers: { 'x-secret': `${marker} header` },
    },
  });
  return body._id;
}

/** Inserts a delivery that has ended. */
async function insertDelivery(
  { database }: Platform,
  company: string,
  webhook: string,
  { resource, marker }: { resource: string; marker: string },
): Promise<string> {
  const id = newId();
  const body = JSON.stringify({ event: 'MESSAGE_RECEIVED', timestamp: '', data: { _id: resource, company, marker } });
  await database.sql(
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, status, body, response_status,
       response_body, claimed_at, attempted_at, finished_at)
     values ($1, $2, $3, 1, 'MESSAGE_RECEIVED', $4, 'DELIVERED', $5, 200, $6, now(), now(), now())`,
    [company, id, webhook, resource, body, `${marker} answer`],
  );
  return id;
}

/** Columns that change by themselves through time, the network or workers; and those that show a delivery's progress. */
const RESTLESS = ['last_used_at', 'last_login_at', 'connection_checked_at'];
const PROGRESS = ['status', 'claimed_at', 'attempted_at', 'finished_at', 'response_status', 'response_ms', 'error'];

/** Waits for due jobs and imports, because what they write belongs to requests that have been answered. */
async function settle({ database }: Platform): Promise<void> {
  await until('the jobs to be done', async () => {
    const [row] = await database.sql<{ waiting: number }>(
      `select (select count(*)::int from pgboss.job
          where state in ('created', 'retry', 'active') and start_after <= now() and name not like '\\_\\_%')
        + (select count(*)::int from imports where finished_at is null) as waiting`,
    );
    return row?.waiting === 0;
  });
}

/** Digests of all data of the companies, by company and table. */
export async function snapshot(platform: Platform, companies: string[]): Promise<Map<string, string>> {
  const { database } = platform;
  await settle(platform);
  const tables = await database.sql<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'company_id' and table_name not in ('company_usage', 'stored_changes') order by 1`,
  );
  const digests = tables.map(({ name }) => {
    const skipped = name === 'deliveries' ? [...PROGRESS, 'response_body'] : RESTLESS;
    const row = `(to_jsonb(t) - array['${skipped.join("','")}'])::text`;
    return `select company_id || ' ' || '${name}' as name, md5(string_agg(${row}, '|' order by ${row})) as digest
      from ${name} t where company_id = any ($1) group by company_id`;
  });
  // A worker moves counts from one table to another, and their sum stays the same.
  digests.push(
    `select _id || ' stored_bytes' as name, stored_bytes(_id)::text as digest from companies where _id = any ($1)`,
  );
  const rows = await database.sql<{ name: string; digest: string }>(digests.join(' union all '), [companies]);
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** The tables, with their company, in which a row was added, removed or changed. */
export function changedTables(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

/** Every company that an answer names, at any depth. */
export function companiesIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = ['company', 'company_id', 'companyId'].map((name) => value[name]).filter((id) => typeof id === 'string');
  return [...own, ...Object.values(value).flatMap(companiesIn)];
}
