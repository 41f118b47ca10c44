/** Two companies on one platform, each with a record of every kind, in whose texts a word of its own is planted. */
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
import type { Json, Platform } from '../../support/platform.ts';
import { until } from '../../support/wait.ts';

export type Kind =
  | 'company'
  | 'key'
  | 'user'
  | 'agent'
  | 'customField'
  | 'pipeline'
  | 'step'
  | 'inbox'
  | 'contact'
  | 'conversation'
  | 'message'
  | 'webhook'
  | 'delivery'
  | 'auditEntry';

export interface Side {
  /** The company's id, and its key with every scope. */
  _id: string;
  key: string;
  records: Record<Kind, string>;
  /** What nobody else may ever read: ids, planted words, network numbers and their tokens. */
  secrets: string[];
  marker: string;
  /** What the next request may take away. */
  disposable: { user: string; key: string };
  /** Of a link that was mailed to its user. */
  linkToken: string;
}

/** Everything that a company can have. */
export async function createSide(platform: Platform): Promise<Side> {
  const marker = `planted${randomBytes(8).toString('hex')}`;
  const company = await platform.createCompany(`${marker} company`);
  const user = await platform.createUser(company._id, 'VIEWER', `${marker} user`);
  const own = await insertOwn(platform, company._id, user._id, marker);
  const phoneId = networkId();
  const inbox = { name: `${marker} inbox`, default_agent: own.agent, default_owner: user._id };
  const phone = await connectPhone(platform, { company, id: phoneId, inbox });
  const from = freshPhone();
  const thread = await converse(platform, phone, { from, marker });
  const webhook = await createWebhook(platform, company, marker);
  const delivery = await insertDelivery(platform, company._id, webhook, { resource: thread.message, marker });
  await decorate(platform, company._id, { ...thread, ...own, user: user._id, marker });
  const auditEntry = await findAuditEntry(platform, company._id);
  const known = { company: company._id, key: company.keyId, user: user._id, ...own, inbox: phone.inbox, ...thread };
  const records = { ...known, webhook, delivery, auditEntry };
  return {
    _id: company._id,
    key: company.key,
    records,
    secrets: [marker, phoneId, phone.waba, from, ...Object.values(records)],
    marker,
    disposable: { user: '', key: '' },
    linkToken: '',
  };
}

/** What making the inbox left behind. */
async function findAuditEntry({ database }: Platform, company: string): Promise<string> {
  const [row] = await database.sql<{ _id: string }>('select _id from audit_log where company_id = $1 limit 1', [
    company,
  ]);
  assert.ok(row, 'an inbox was made and the audit does not know it');
  return row._id;
}

/** Records that no operation creates yet. */
async function insertOwn({ database }: Platform, company: string, user: string, marker: string) {
  const [agent, customField, pipeline, step] = [newId(), newId(), newId(), newId()];
  const { sql } = database;
  await sql('update users set email = $3 where company_id = $1 and _id = $2', [
    company,
    user,
    `${marker}@example.test`,
  ]);
  await sql('insert into agents (company_id, _id, name) values ($1, $2, $3)', [company, agent, `${marker} agent`]);
  await sql(`insert into custom_fields (company_id, _id, slug, title, context) values ($1, $2, $3, $3, 'contact')`, [
    company,
    customField,
    `${marker}-field`,
  ]);
  await sql('insert into pipelines (company_id, _id, name) values ($1, $2, $3)', [company, pipeline, marker]);
  await sql('insert into pipeline_steps (company_id, _id, pipeline_id, name) values ($1, $2, $3, $4)', [
    company,
    step,
    pipeline,
    marker,
  ]);
  return { agent, customField, pipeline, step };
}

/** A contact writes. */
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

/** It listens to what never happens here: what a test reads is not written by a delivery meanwhile. */
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

/** One that has come to its end. */
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

interface Decoration {
  contact: string;
  conversation: string;
  user: string;
  agent: string;
  customField: string;
  pipeline: string;
  step: string;
  marker: string;
}

/** Every reference that a record can hold is held. */
async function decorate({ database }: Platform, company: string, own: Decoration): Promise<void> {
  const values = JSON.stringify({ [own.customField]: own.marker });
  await database.sql(
    'update contacts set owner_id = $3, custom_fields = $4, tags = $5 where company_id = $1 and _id = $2',
    [company, own.contact, own.user, values, [own.marker]],
  );
  await database.sql(
    `update conversations set owner_id = $3, attendant_id = $3, agent_id = $4, pipeline_id = $5, step_id = $6, tags = $7
     where company_id = $1 and _id = $2`,
    [company, own.conversation, own.user, own.agent, own.pipeline, own.step, [own.marker]],
  );
}

/** What time, the network and the workers write by themselves; of a delivery also how far it has come. */
const RESTLESS = ['last_used_at', 'last_login_at', 'connection_checked_at'];
const PROGRESS = ['status', 'claimed_at', 'attempted_at', 'finished_at', 'response_status', 'response_ms', 'error'];

/** Waits for the mails that were asked for: their jobs write what belongs to a company a moment later. */
async function settle({ database }: Platform): Promise<void> {
  await until('the mails to be sent', async () => {
    const [row] = await database.sql<{ waiting: number }>(
      `select count(*)::int as waiting from pgboss.job where name like 'users.send-%' and state in ('created', 'retry', 'active')`,
    );
    return row?.waiting === 0;
  });
}

/** A digest of a company's rows, by table. */
export async function snapshot(platform: Platform, company: string): Promise<Record<string, string>> {
  const { database } = platform;
  await settle(platform);
  const tables = await database.sql<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'company_id' order by 1`,
  );
  const digests = tables.map(({ name }) => {
    const skipped = name === 'deliveries' ? [...PROGRESS, 'response_body'] : RESTLESS;
    const row = `(to_jsonb(t) - array['${skipped.join("','")}'])::text`;
    return `select '${name}' as name, md5(coalesce(string_agg(${row}, '|' order by ${row}), '')) as digest from ${name} t where company_id = $1`;
  });
  const rows = await database.sql<{ name: string; digest: string }>(digests.join(' union all '), [company]);
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

export function changedTables(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.keys(before).filter((name) => before[name] !== after[name]);
}

/** Every `company` that an answer names, however deep. */
export function companiesIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = ['company', 'company_id', 'companyId'].map((name) => value[name]).filter((id) => typeof id === 'string');
  return [...own, ...Object.values(value).flatMap(companiesIn)];
}
