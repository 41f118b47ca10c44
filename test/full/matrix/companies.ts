/** Creates two companies on one platform, each with a record of every kind and with a unique word in all of its texts. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/platform/values/ids.ts';
import {
  connectPhone,
  makePhoneNumber,
  makeNetworkId,
  buildNotification,
  openNetwork,
  makeMessageId,
  fillMessage,
  type Phone,
} from '../../support/network.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { CallOptions, Json, Platform } from '../../support/platform.ts';
import { waitUntil } from '../../support/wait.ts';
import { buildForm } from './forms.ts';

export interface FullCompany {
  /** The id of the company, and an API key with every scope. */
  _id: string;
  key: string;
  /** The id of a record of each kind, as the document names the kinds. */
  records: Record<string, string>;
  /** Texts that no other company may see: ids, the company's unique word, network numbers and their tokens. */
  secrets: string[];
  marker: string;
  /** The slugs of records that requests may also name by their slug. */
  slugs: Record<string, string>;
  /** The ids of records that the next request may delete. */
  fresh: Record<string, string>;
  /** The token of a mailed link, and the user to whom it was mailed. */
  linkToken: string;
  linkUser: string;
  /** The token of a browser's session. */
  sessionToken: string;
}

/** Returns the id of the company's record of this kind. Fails for a kind that is in the document but that createFullCompany() does not create. */
export function findId({ records }: FullCompany, kind: string): string {
  const id = records[kind];
  assert.ok(id, `createSide() in companies.ts has no ${kind}`);
  return id;
}

/** Creates a company with every kind of record. */
export async function createFullCompany(platform: Platform): Promise<FullCompany> {
  const marker = `planted${randomBytes(8).toString('hex')}`;
  const company = await platform.createCompany(`${marker} company`);
  const user = await platform.createUser(company._id, 'VIEWER', `${marker} user`);
  const agent = await insertAgent(platform, company._id, user._id, marker);
  const phoneId = makeNetworkId();
  const inbox = { name: `${marker} inbox`, default_agent: agent, default_owner: user._id };
  const { phone, template } = await connectWithTemplate(platform, { company, id: phoneId, inbox }, marker);
  const from = makePhoneNumber();
  const thread = await storeMessageOfContact(platform, phone, { from, marker });
  const slugs = {
    'contact-field': `${marker}_c`,
    'conversation-field': `${marker}_v`,
    'business-field': `${marker}_b`,
    column: `${marker}_column`,
    template: marker,
  };
  const own = { user: user._id, agent, inbox: phone.inbox, template, ...thread };
  const made = await createRecords(platform, company, { ...own, slugs, marker });
  const run = await sendBulk(platform, company.key, { inbox: phone.inbox, marker });
  const webhook = await createWebhook(platform, company, marker);
  const delivery = await insertDelivery(platform, company._id, webhook, { resource: thread.message, marker });
  const records = {
    company: company._id,
    'api-key': company.keyId,
    'audit-entry': await findAuditEntry(platform, company._id),
    // A column has no id of its own: requests name it by its key.
    column: newId(),
    ...own,
    ...made,
    'bulk-run': run,
    webhook,
    'door-webhook': await setDoorWebhook(platform, { ...company, inbox: phone.inbox }, marker),
    delivery,
    'connected-app': await insertConnectedApp(platform, company._id, { user: user._id, marker }),
    'delivery-replay': await insertReplay(platform, company._id, webhook),
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
    sessionToken: '',
  };
}

interface FirstRecords {
  user: string;
  agent: string;
  inbox: string;
  contact: string;
  conversation: string;
  slugs: Record<'contact-field' | 'conversation-field' | 'business-field' | 'column', string>;
  marker: string;
}

/** Creates the records that a company creates itself, with every reference to other records that they can have. */
async function createRecords(platform: Platform, { key }: { key: string }, begun: FirstRecords) {
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
  const team = (await write('POST', '/v1/teams', { name: marker, members: [user] }))._id;
  const days = [{ day: 'MON', from: '09:00', to: '18:00' }];
  const hours = (await write('POST', '/v1/business-hours', { name: marker, time_zone: 'UTC', days }))._id;
  const policy = await write('POST', '/v1/sla-policies', {
    name: marker,
    first_reply_minutes: 60,
    priorities: ['LOW'],
  });
  const business = (await write('POST', '/v1/businesses', { ...common, name: `${marker} business` }))._id;
  const person = { owner: user, business, custom_fields: { [fields['contact-field']]: marker }, tags: [marker] };
  await write('PATCH', `/v1/contacts/${contact}`, person);
  const steps = [{ name: marker }];
  const pipeline = await write('POST', '/v1/pipelines', { name: marker, steps });
  const step = pipeline.steps[0]._id;
  const values = { custom_fields: { [fields['conversation-field']]: marker }, tags: [marker] };
  await write('PATCH', `/v1/conversations/${conversation}`, {
    owner: user,
    attendant: user,
    team,
    agent,
    step,
    ...values,
  });
  const change = { owner: user, team, add_tags: [marker] };
  const run = await write('POST', '/v1/conversations/bulk', { ids: [conversation], change });
  const contactChange = { owner: user, business, add_tags: [marker] };
  const contactRun = await write('POST', '/v1/contacts/bulk-changes', { ids: [contact], change: contactChange });
  const sheets = await createSheets(platform, key, { contact, business, marker, column: slugs.column });
  const form = buildForm({ file: `${marker} file` });
  const attachment = (await platform.call(201, 'POST', '/v1/resource/upload-attachment', { key, ...form })).body;
  const texts = { title: marker, shortcut: marker, content: marker };
  const reply = await write('POST', '/v1/quick-replies', { ...texts, attachment: attachment._id });
  const filters = { owner: user, team, agent, step, contact, tag: marker };
  const actions = { owner: user, attendant: user, team, agent, step, note: marker };
  const macro = await write('POST', '/v1/macros', { name: marker, actions });
  const condition = { field: 'inbox', operator: 'ANY_OF', values: [begun.inbox] };
  const rule = await write('POST', '/v1/rules', {
    name: marker,
    event: 'TAG_ADDED',
    is_active: false,
    conditions: [{ match: 'ALL', conditions: [condition] }],
    actions,
  });
  const view = await write('POST', '/v1/views', { name: marker, is_shared: true, filters });
  const ofContacts = [{ field: fields['contact-field'], operator: 'eq', value: marker }];
  const kept = { filters: JSON.stringify(ofContacts) };
  const segment = await write('POST', '/v1/segments', { name: marker, is_shared: true, filters: kept });
  const note = await write('POST', `/v1/contacts/${contact}/notes`, { content: marker });
  const item = await write('POST', '/v1/knowledge/autcl', {
    name: marker,
    content: `${marker} knowledge`,
    tags: [marker],
  });
  const ofCampaign = { ...begun, step, field: fields['contact-field'] };
  const campaign = await write('POST', '/v1/campaigns', makeCampaign(ofCampaign));
  const others = {
    team,
    'business-hours': hours,
    'sla-policy': policy._id,
    campaign: campaign._id,
    enrollment: await insertEnrollment(platform, { campaign: campaign._id, contact }),
    attachment: attachment._id,
    'quick-reply': reply._id,
    view: view._id,
    segment: segment._id,
    'contact-note': note._id,
    macro: macro._id,
    rule: rule._id,
    'rule-run': await insertRuleRun(platform, { rule: rule._id, conversation }),
    'knowledge-item': item._id,
    'agent-turn': await insertTurn(platform, { agent, conversation, item: item._id }),
    'follow-up': await insertFollowUp(platform, { agent, conversation }),
    'scheduled-message': await insertScheduled(platform, { conversation, marker }),
    'csat-survey': await insertSurvey(platform, { conversation, marker }),
    'history-entry': await insertHistoryEntry(platform, { conversation, marker }),
    notification: await insertNotification(platform, { conversation, user }),
    'push-subscription': await insertPushSubscription(platform, { user, marker }),
    passkey: await insertPasskey(platform, { user, marker }),
    'conversation-run': run._id,
    'contact-run': contactRun._id,
    'mcp-server': await insertMcpServer(platform, { agent, marker }),
  };
  return { ...fields, business, pipeline: pipeline._id, step, ...others, ...sheets };
}

/** Inserts an enrollment that waits for a time that never comes, because a campaign that runs would change it. */
async function insertEnrollment(
  { database }: Platform,
  { campaign, contact }: Record<'campaign' | 'contact', string>,
): Promise<string> {
  const enrollment = newId();
  await database.sql(
    `insert into campaign_enrollments (company_id, _id, campaign_id, contact_id, next_run_at)
      select company_id, $1, _id, $3, '2099-01-01' from campaigns where _id = $2`,
    [enrollment, campaign, contact],
  );
  return enrollment;
}

/** Limits the agent to an item, and inserts a turn of it, because no operation makes one. */
async function insertTurn(
  { database }: Platform,
  { agent, conversation, item }: Record<'agent' | 'conversation' | 'item', string>,
): Promise<string> {
  const turn = newId();
  await database.sql(
    `with limited as (insert into agent_knowledge (company_id, agent_id, item_id) select company_id, _id, $4 from agents where _id = $2)
    insert into agent_turns (company_id, _id, agent_id, conversation_id, asked_id, outcome, passages, latency_ms)
      select company_id, $1, _id, $3, $1, 'ANSWERED', '[]', 1 from agents where _id = $2`,
    [turn, agent, conversation, item],
  );
  return turn;
}

/** Inserts a follow-up of the agent that never becomes due. */
async function insertFollowUp(
  { database }: Platform,
  { agent, conversation }: Record<'agent' | 'conversation', string>,
): Promise<string> {
  const followUp = newId();
  await database.sql(
    `insert into follow_ups (company_id, _id, agent_id, conversation_id, index, content, scheduled_at, held_until)
      select company_id, $1, _id, $3, 0, name, '2099-01-01', '2099-01-01' from agents where _id = $2`,
    [followUp, agent, conversation],
  );
  return followUp;
}

/** Inserts a run of a rule, because rules of these companies never run. */
async function insertRuleRun(
  { database }: Platform,
  { rule, conversation }: Record<'rule' | 'conversation', string>,
): Promise<string> {
  const run = newId();
  await database.sql(
    `insert into rule_runs (company_id, _id, rule_id, event_id, event, conversation_id, status)
      select company_id, $1, _id, $1, event, $3, 'DONE' from rules where _id = $2`,
    [run, rule, conversation],
  );
  return run;
}

/** Inserts a scheduled message that never becomes due. */
async function insertScheduled(
  { database }: Platform,
  { conversation, marker }: Record<'conversation' | 'marker', string>,
): Promise<string> {
  const scheduled = newId();
  await database.sql(
    `insert into scheduled_messages (company_id, _id, conversation_id, actor, message, send_at, held_until)
      select company_id, $1::text, _id, jsonb_build_object('type', 'company', 'id', $1::text, 'name', $3::text),
        jsonb_build_object('contentType', 'TEXT', 'content', $3::text, 'attachment', null, 'template', null), '2099-01-01', '2099-01-01'
      from conversations where _id = $2`,
    [scheduled, conversation, marker],
  );
  return scheduled;
}

/** Inserts a survey that the contact has answered. */
async function insertSurvey(
  { database }: Platform,
  { conversation, marker }: Record<'conversation' | 'marker', string>,
): Promise<string> {
  const survey = newId();
  await database.sql(
    `insert into csat_surveys (company_id, _id, conversation_id, inbox_id, question, message_id, score, comment, rated_at, ended_at, is_waiting)
      select company_id, $1, _id, inbox_id, $3, last_message_id, 4, $3, now(), now(), false from conversations where _id = $2`,
    [survey, conversation, marker],
  );
  return survey;
}

/** Allows MCP servers, and inserts one that answers nobody, for the agent. */
async function insertMcpServer(
  { database }: Platform,
  { agent, marker }: Record<'agent' | 'marker', string>,
): Promise<string> {
  const server = newId();
  await database.sql(
    `with allowed as (
        update companies set client_mcp_servers_enabled = true where _id = (select company_id from agents where _id = $2) returning _id
      ), made as (
        insert into mcp_servers (company_id, _id, name, url, look_up)
          select _id, $1, $3, 'http://127.0.0.1:9/mcp', '{"tool":"find_orders","arguments":{}}' from allowed returning company_id, _id
      )
      insert into agent_mcp_servers (company_id, agent_id, server_id) select company_id, $2, _id from made`,
    [server, agent, marker],
  );
  return server;
}

async function insertHistoryEntry(
  { database }: Platform,
  { conversation, marker }: Record<'conversation' | 'marker', string>,
): Promise<string> {
  const entry = newId();
  await database.sql(
    `insert into conversation_history (company_id, _id, conversation_id, actor_type, actor_id, actor_name, changes)
      select company_id, $1, _id, 'KEY', $1, $3, jsonb_build_array(jsonb_build_object(
        'field', 'tag', 'from', null, 'to', $3::text, 'from_name', null, 'to_name', null)) from conversations where _id = $2`,
    [entry, conversation, marker],
  );
  return entry;
}

async function insertNotification(
  { database }: Platform,
  { conversation, user }: Record<'conversation' | 'user', string>,
): Promise<string> {
  const notification = newId();
  await database.sql(
    `insert into notifications (company_id, _id, user_id, kind, conversation_id)
      select company_id, $1, $3, 'MENTIONED', _id from conversations where _id = $2`,
    [notification, conversation, user],
  );
  return notification;
}

/** Inserts a browser of the user to which nothing can be pushed. */
export async function insertPushSubscription(
  { database }: Platform,
  { user, marker }: Record<'user' | 'marker', string>,
): Promise<string> {
  const subscription = newId();
  await database.sql(
    `insert into push_subscriptions (company_id, _id, user_id, session_version, endpoint, p256dh, auth, browser)
      select company_id, $1, _id, session_version, 'https://push.example.test/' || $1, '', '', $3 from users where _id = $2`,
    [subscription, user, marker],
  );
  return subscription;
}

/** The body of a campaign that names a record of every kind that it can name. */
function makeCampaign({ marker, inbox, user, agent, contact, step, field }: Record<string, unknown>): Json {
  const template = { name: marker, language: 'pt_BR' };
  const filters = [{ field, operator: 'eq', value: marker }];
  const audience = { filters, tags: [marker], contacts: [contact] };
  const steps = [{ template, funnel_step: step }];
  return { name: marker, inbox, owner: user, agent, audience, steps, scheduled_at: '2099-01-01T00:00:00.000Z' };
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
  const body = { data: { note: `${marker} row` }, contact_id: contact, business_id: business };
  const row = await post(`/v1/tables/${table}/rows`, { body });
  const tableImport = await post(`/v1/tables/${table}/import`, buildForm({ file: `note\n${marker}\n` }));
  const contactImport = await post(
    '/v1/contacts/import',
    buildForm({ file: `name,external_id\n${marker} imported,${marker}\n` }),
  );
  await waitForJobs(platform);
  return { table, row, 'contact-import': contactImport, 'table-import': tableImport };
}

/** Sends the planted template to one contact. */
async function sendBulk(
  platform: Platform,
  key: string,
  { inbox, marker }: { inbox: string; marker: string },
): Promise<string> {
  const contacts = [{ name: `${marker} reached`, phone: makePhoneNumber() }];
  const form = buildForm({ inboxId: inbox, templateName: marker, languageCode: 'pt_BR', contacts });
  return (await platform.call(201, 'POST', '/v1/messages/send-bulk-template', { key, ...form })).body._id;
}

/** Connects a number whose account has a template with the planted word, and waits until it is copied. */
async function connectWithTemplate(
  platform: Platform,
  options: { company: { _id: string; key: string }; id: string; inbox: Record<string, unknown> },
  marker: string,
): Promise<{ phone: Phone; template: string }> {
  const waba = makeNetworkId();
  const components = [{ type: 'BODY', text: `${marker} template` }];
  const template = { waba_id: waba, name: marker, language: 'pt_BR', components };
  await platform.sandbox('POST', '/sandbox/templates', template);
  const phone = await connectPhone(platform, { ...options, waba });
  const row = await waitUntil('the templates to be copied', async () => {
    const [found] = await platform.database.sql<{ _id: string }>('select _id from templates where name = $1', [marker]);
    return found;
  });
  return { phone, template: row._id };
}

/** Finds the audit entry about the creation of the inbox. */
async function findAuditEntry({ database }: Platform, company: string): Promise<string> {
  const [row] = await database.sql<{ _id: string }>('select _id from audit_log where company_id = $1 limit 1', [
    company,
  ]);
  assert.ok(row, 'an inbox was made and the audit does not know it');
  return row._id;
}

/** Inserts an agent, and puts the company's unique word into the user's address. */
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
async function storeMessageOfContact(
  platform: Platform,
  phone: Awaited<ReturnType<typeof connectPhone>>,
  { from, marker }: { from: string; marker: string },
) {
  const network = await openNetwork(platform);
  const id = makeMessageId();
  const contacts = [{ wa_id: from, profile: { name: `${marker} contact` } }];
  const messages = [fillMessage({ id, from, text: { body: `${marker} message` } })];
  await network.post(200, buildNotification({ phone, value: { contacts, messages } }));
  const [row] = await platform.database.sql<{ message: string; conversation: string; contact: string }>(
    'select _id as message, conversation_id as conversation, contact_id as contact from messages where external_id = $1',
    [id],
  );
  assert.ok(row, 'the message of a contact was not stored');
  return row;
}

/** Creates a webhook for an event that never happens in these tests, so that no delivery changes the data that a test compares. */
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

/** Sets the webhook of a door for an event that never fires. */
async function setDoorWebhook(
  { call, sandboxUrl }: Platform,
  { key, inbox }: { key: string; inbox: string },
  marker: string,
): Promise<string> {
  const url = `${sandboxUrl}/receiver/${marker}`;
  const custom_headers = { 'x-secret': `${marker} header` };
  const body = { door: 'EVOLUTION', inbox, url, events: ['CALL'], custom_headers };
  return (await call(200, 'PUT', '/v1/door-webhooks', { key, body })).body._id;
}

/** Inserts an app that the user has connected. */
export async function insertConnectedApp(
  { database }: Platform,
  company: string,
  { user, marker }: { user: string; marker: string },
): Promise<string> {
  const id = newId();
  await database.sql(
    `insert into connected_apps (company_id, _id, user_id, session_version, client_id, name, access, redirect_uri, challenge, expires_at)
     select company_id, $2, _id, session_version, $4, $4, 'READ', 'https://app.example/', '', '2099-01-01'
     from users where company_id = $1 and _id = $3`,
    [company, id, user, marker],
  );
  return id;
}

/** Inserts a delivery that is finished. */
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

/** Inserts a replay of deliveries that has ended. */
async function insertReplay({ database }: Platform, company: string, webhook: string): Promise<string> {
  const id = newId();
  await database.sql(
    `insert into runs (company_id, _id, kind, input, status, total, is_waiting, finished_at) values ($1, $2, 'REPLAY', $3, 'COMPLETED', 0, false, now())`,
    [
      company,
      id,
      { webhook, epoch: 1, status: 'FAILED', from: '2020-01-01T00:00:00.000Z', to: '2020-01-02T00:00:00.000Z' },
    ],
  );
  return id;
}

/** Columns that workers, the network or the passing of time change without a request; and columns that show the progress of a delivery. */
const RESTLESS = ['last_used_at', 'last_login_at', 'connection_checked_at', 'fetched_at', 'pass_at'];
const PROGRESS = ['status', 'claimed_at', 'attempted_at', 'finished_at', 'response_status', 'response_ms', 'error'];

/**
 * Waits for due jobs and imports, because what they write belongs to requests that have been answered. A copy of templates that a request
 * asked for is called off: it begins only seconds later, in the middle of a comparison.
 */
async function waitForJobs({ database }: Platform): Promise<void> {
  await database.sql(`update template_catalogues set due_at = 'infinity' where not is_waiting and held_until is null`);
  await waitUntil('the jobs to be done', async () => {
    const [row] = await database.sql<{ waiting: number }>(
      `select (select count(*)::int from pgboss.job
          where state in ('created', 'retry', 'active') and start_after <= now() and name not like '\\_\\_%')
        + (select count(*)::int from runs where finished_at is null)
        + (select count(*)::int from campaigns where is_waiting or claimed_at is not null)
        + (select count(*)::int from campaign_changes)
        + (select count(*)::int from pending_turns)
        + (select count(*)::int from agent_turns where settle_until is not null)
        + (select count(*)::int from knowledge_items where is_waiting or held_until is not null)
        + (select count(*)::int from template_catalogues where is_waiting or held_until is not null) as waiting`,
    );
    return row?.waiting === 0;
  });
}

/** Returns digests of all data of these companies, by company and table. */
export async function digestTables(platform: Platform, companies: string[]): Promise<Map<string, string>> {
  await waitForJobs(platform);
  const { database } = platform;
  const statement = SNAPSHOTS.get(database) ?? (await writeSnapshot(database));
  SNAPSHOTS.set(database, statement);
  const rows = await database.sql<{ name: string; digest: string }>(statement, [companies], 'snapshot');
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** The statement that reads the digests of all tables, for each database. */
const SNAPSHOTS = new WeakMap<TestDatabase, string>();

async function writeSnapshot({ sql }: TestDatabase): Promise<string> {
  // Workers copy templates whenever a request needs newer ones, and attempt a delivery some time after the answer: only what they copy and
  // deliver is compared, and partitions as the table that they belong to. Facts of reports become counters, and turns of
  // SLA policies become clocks, some time after the change.
  const tables = await sql<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace and c.relname not in
       ('company_usage', 'delivery_attempts', 'delivery_queue', 'report_counters', 'report_facts', 'conversation_slas', 'sla_turns', 'stored_changes', 'template_catalogues') order by 1`,
  );
  const digests = tables.map(({ name }) => {
    const skipped = name === 'deliveries' ? [...PROGRESS, 'response_body'] : RESTLESS;
    const row = `(to_jsonb(t) - array['${skipped.join("','")}'])::text`;
    return `select company_id || ' ' || '${name}' as name, md5(string_agg(${row}, '|' order by ${row})) as digest
      from ${name} t where company_id = any ($1) group by company_id`;
  });
  // A worker moves the counted bytes from one table to another, so the two are added up here.
  digests.push(
    `select _id || ' stored_bytes' as name, stored_bytes(_id)::text as digest from companies where _id = any ($1)`,
  );
  return digests.join(' union all ');
}

/** Lists the tables, each with its company, in which a row was added, removed or changed. */
export function listChangedTables(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

/** Lists every company that an answer names, at any depth. */
export function listNamedCompanies(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = ['company', 'company_id', 'companyId'].map((name) => value[name]).filter((id) => typeof id === 'string');
  return [...own, ...Object.values(value).flatMap(listNamedCompanies)];
}

/** Gives the user a passkey. */
async function insertPasskey(
  { database }: Platform,
  { user, marker }: { user: string; marker: string },
): Promise<string> {
  const id = newId();
  await database.sql(
    `insert into passkeys (email, _id, name, credential_id, public_key, counter, transports)
      select lower(email), $2, $3, $2, '\\x', 0, '{}' from users where _id = $1`,
    [user, id, marker],
  );
  return id;
}
