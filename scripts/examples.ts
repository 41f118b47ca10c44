/**
 * Records docs/reference/examples.json from a real run: `node scripts/examples.ts` starts a platform, calls each operation once, and writes
 * requests and answers. Ids, times and secrets are replaced, so that a new recording differs only where the API has changed.
 */
import { writeFileSync } from 'node:fs';
import { buildOpenApi } from '../src/api.ts';
import { EVENT_NAMES } from '../src/platform/store/events.ts';
import { openTestServer } from '../test/support/database.ts';
import { buildForm } from '../test/full/matrix/forms.ts';
import { openPlatform, type Answer, type Json, type Platform } from '../test/support/platform.ts';
import { readMailToken, waitForMail } from '../test/support/people.ts';
import { waitUntil } from '../test/support/wait.ts';
import { recordAttachments } from './example-attachments.ts';
import { recordCampaigns } from './example-campaigns.ts';
import { recordCsat } from './example-csat.ts';
import { recordAgents } from './example-agents.ts';
import { recordAssist } from './example-assist.ts';
import { emitNews, recordDeliveries, recordDoorWebhooks } from './example-deliveries.ts';
import { recordAutomation } from './example-automation.ts';
import { recordKnowledge } from './example-knowledge.ts';
import { recordImport, recordRecords, recordViews } from './example-records.ts';
import { recordLive } from './example-live.ts';
import { recordLogIns } from './example-log-ins.ts';
import { recordRevocation } from './example-messages.ts';
import { recordApp, recordNotifications, recordPeople } from './example-people.ts';
import { describeForm, type Step, type Take } from './example-steps.ts';
import { recordReports } from './example-reports.ts';
import { recordBulk, recordTemplates, recordTemplateSend } from './example-templates.ts';
import { settle } from './example-values.ts';

const FILE = 'docs/reference/examples.json';

const { paths } = (await buildOpenApi()) as Json;
const operations = new Map<string, { request?: Json; answer: Json }>();

const forget = (path: string): boolean => operations.delete(paths[path].get.operationId);
let cookie = '';

/**
 * Performs one step of the run; the first step of each operation becomes its example. Before a record is first changed or removed, the
 * record and its list are read.
 */
async function record(platform: Platform, name: string, path: string, step: Step = {}): Promise<Json> {
  const [method = '', template = ''] = name.split(' ');
  const spec: Json = paths[template]?.[method.toLowerCase()];
  if (!spec) throw new Error(`the document does not know ${name}`);
  const changesRecord = ['PUT', 'PATCH', 'DELETE'].includes(method) && template.endsWith('}');
  if (changesRecord) await recordReads(platform, template, path, step);
  const { form, fileName, key, headers = {}, body, sendsCookie } = step;
  const sent = form ? buildForm(form, fileName) : { headers: {} };
  const status = Number(Object.keys(spec.responses).findLast((each) => each.startsWith('2')));
  const answer = await platform.call(status, method, path, {
    ...(body === undefined ? {} : { body }),
    ...sent,
    headers: { ...sent.headers, ...headers, ...(sendsCookie ? { cookie } : {}) },
    ...(key === undefined ? {} : { key }),
  });
  cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  const request = form ? describeForm(form, fileName) : body;
  if (!operations.has(spec.operationId))
    operations.set(spec.operationId, { ...(request === undefined ? {} : { request }), answer: describeAnswer(answer) });
  return answer.body;
}

/** An answer as the examples show it: a file that is not text by its name. */
function describeAnswer({ body, headers }: Answer): Json {
  if (/json|^text\//.test(headers.get('content-type') ?? '')) return body;
  return /filename="(.+?)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? body;
}

/** Records how a record and its list are read, unless that is recorded already. */
async function recordReads(platform: Platform, template: string, path: string, { key }: Step): Promise<void> {
  for (const read of [template.replace(/\/[^/]+$/, ''), template]) {
    const id = paths[read]?.get?.operationId;
    const at = path.split('/', read.split('/').length).join('/').replace(/\?.*/, '');
    if (id && !operations.has(id)) await record(platform, `GET ${read}`, at, key === undefined ? {} : { key });
  }
}

const fillPath = (path: string, ...ids: string[]): string => path.replaceAll(/\{\w+\}/g, () => ids.shift() ?? '');

async function recordCompanies(take: Take, platform: Platform): Promise<void> {
  const key = platform.globalKey;
  const body = {
    name: 'Padaria Lima',
    owner: { name: 'Ana Lima', email: 'ana@example.com', language: 'pt-BR' },
    domains: ['padaria-lima.example'],
    general_config: { language: 'pt-BR', time_zone: 'America/Sao_Paulo', country: 'BR' },
  };
  const { _id } = await take('POST /v1/companies', '', { key, body });
  const token = readMailToken(await waitForMail(platform, 'ana@example.com', 3));
  await take('POST /v1/auth/read-link', '', { key: null, body: { token } });
  await take('POST /v1/auth/accept-invitation', '', { key: null, body: { token } });
  await take('PATCH /v1/companies/{id}', _id, { key, body: { description: 'Bread and coffee since 1974' } });
}

async function recordScheduled(take: Take, conversation: string): Promise<void> {
  const message = { contentType: 'TEXT', content: 'Good morning! Your cake is ready.' };
  const schedule = (send_at: string): Promise<Json> =>
    take('POST /v1/scheduled-messages', '', { body: { conversation, message, send_at } });
  const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
  const first = await schedule(inDays(1));
  await take('PATCH /v1/scheduled-messages/{id}', first._id, { body: { send_at: inDays(2) } });
  await take('POST /v1/scheduled-messages/{id}/send', first._id);
  const second = await schedule(inDays(1));
  await take('POST /v1/scheduled-messages/{id}/cancel', second._id);
}

async function recordConversations(take: Take, platform: Platform, { contact, user }: Json): Promise<Json> {
  await take('GET /v1/inboxes/{id}/health', platform.demo.inbox);
  await take('GET /v1/inboxes/{id}/pairing', platform.demo.inbox);
  await take('PUT /v1/inboxes/{id}', platform.demo.inbox, { body: { name: 'Sales', default_owner: user._id } });
  await recordTemplates(take, platform.demo.inbox);
  const steps = [{ name: 'New' }, { name: 'Qualified' }, { name: 'Bought', kind: 'WON' }];
  const pipeline = await take('POST /v1/pipelines', '', { body: { name: 'Sales', steps } });
  await take('PATCH /v1/pipelines/{id}', pipeline._id, { body: { name: 'Sales in Brazil' } });
  await platform.receive({ from: '5511988887777', name: 'Maria Silva', text: 'Hello, is anybody there?' });
  const body = { inbox: platform.demo.inbox, name: 'João Souza', phone_number: '+55 11 97777-6666' };
  await take('POST /v1/conversations', '', { body });
  const [{ _id: conversation }] = (await take('GET /v1/conversations', `?contact=${contact._id}`)).result;
  await take('GET /v1/conversations/counts');
  await take('PATCH /v1/conversations/{id}', conversation, { body: { owner: user._id, tags: ['order'] } });
  await take('PUT /v1/conversations/{id}/step', conversation, { body: { step: pipeline.steps[1]._id } });
  await take('GET /v1/conversations/{id}/history', conversation);
  await take('POST /v1/conversations/{id}/participants', conversation, { body: { user: user._id } });
  await take('GET /v1/conversations/{id}/participants', conversation);
  await take('DELETE /v1/conversations/{id}/participants/{userId}', `${conversation},${user._id}`);
  await recordViews(take, user._id);
  for (const mark of ['unread', 'read']) await take(`PUT /v1/conversations/{id}/${mark}`, conversation);
  await recordChangeRuns(take, user._id);
  await take('POST /v1/conversations/{id}/typing', conversation, { body: { state: 'TYPING' } });
  const message = { content: 'Hello Maria! How can we help?', contentType: 'TEXT' };
  const headers = { 'idempotency-key': 'greeting-1' };
  const sent = await take('POST /v1/messages/send-text', '', {
    body: { conversationId: conversation, message },
    headers,
  });
  const location = { latitude: -23.5613, longitude: -46.6565, name: 'Our shop', address: 'Avenida Paulista 1578' };
  await take('POST /v1/messages/send-content', '', {
    body: { conversationId: conversation, message: { contentType: 'LOCATION', location } },
  });
  await recordTemplateSend(take, conversation);
  await recordScheduled(take, conversation);
  const note = { content: 'She asked for a cake on Friday', contentType: 'TEXT' };
  await take('POST /v1/messages/note', '', {
    body: { conversationId: conversation, message: note, mentions: [user._id] },
  });
  await recordAutomation(take, platform, conversation);
  await platform.sandbox('PUT', '/sandbox/settings', { fail_status: { code: 131026, times: 1 } });
  const lost = { content: 'Are you still there?', contentType: 'TEXT' };
  await take('POST /v1/messages/send-text', '', { body: { conversationId: conversation, message: lost } });
  await take('GET /v1/messages', '?search=order');
  for (const end of ['', '/body']) await take(`GET /v1/messages/{id}${end}`, sent._id);
  operations.set(paths['/v1/live'].get.operationId, { answer: await recordLive(platform, conversation) });
  await take('GET /v1/messages/conversation/{id}', conversation);
  await take('GET /v1/conversations/{id}/transcript', conversation);
  return { pipeline, sent };
}

/** Records bulk changes, which are so small that they have ended when they are cancelled. */
async function recordChangeRuns(take: Take, owner: string): Promise<void> {
  await recordChangeRun(take, '/v1/conversations/bulk', { attendant: owner, add_tags: ['vip'] });
  await recordChangeRun(take, '/v1/contacts/bulk-changes', { owner, add_tags: ['vip'] });
}

async function recordChangeRun(take: Take, path: string, change: Json): Promise<void> {
  const { _id } = await take(`POST ${path}`, '', { body: { filter: { search: 'joao' }, change } });
  await waitUntil('the bulk change', async () => {
    forget(`${path}/{id}`);
    return (await take(`GET ${path}/{id}`, _id)).finished_at !== null;
  });
  await take(`GET ${path}`);
  await take(`POST ${path}/{id}/cancel`, _id);
}

async function recordTables(take: Take, { contact }: Json): Promise<void> {
  const columns = [
    { key: 'product', title: 'Product', type: 'TEXT', required: true },
    { key: 'price', title: 'Price', type: 'NUMBER' },
  ];
  const { _id } = await take('POST /v1/tables', '', { body: { name: 'Orders', columns } });
  const data = { product: 'Carrot cake', price: 79.9 };
  const row = await take('POST /v1/tables/{tableId}/rows', _id, { body: { data, contact_id: contact._id } });
  await take('PATCH /v1/tables/{id}', _id, { body: { description: 'What was ordered' } });
  await take('PATCH /v1/tables/{tableId}/rows/{rowId}', `${_id},${row._id}`, { body: { data: { price: 75 } } });
  await take('GET /v1/contacts/{id}/table-rows', contact._id);
  await take('GET /v1/tables/{id}/export', _id);
  await take('DELETE /v1/tables/{tableId}/rows/{rowId}', `${_id},${row._id}`);
  await recordImport({ take, forget }, '/v1/tables/{id}/import', [_id], { file: 'product,price\nBread,12.5\n,3\n' });
  await take('DELETE /v1/tables/{id}', _id);
}

/** Records the last steps: the webhook's deliveries, and the removals. */
async function recordEnd(
  take: Take,
  platform: Platform,
  { user, contact, business, field, pipeline }: Json,
): Promise<Json> {
  await recordDeliveries(take);
  await recordCsat(take, platform);
  await emitNews(platform);
  const events = await recordEvents(platform);
  await take('PUT /v1/webhooks/{id}', platform.demo.webhook, {
    body: { events: ['MESSAGE_RECEIVED', 'MESSAGE_SENT'] },
  });
  await take('DELETE /v1/webhooks/{id}', platform.demo.webhook);
  const headers = { authorization: 'Bearer of your own making' };
  const url = `${platform.sandboxUrl}/receiver/hook`;
  await take('POST /v1/webhooks', '', {
    body: { url, events: ['MESSAGE_RECEIVED', 'CONTACT_CREATED'], custom_headers: headers },
  });
  await recordDoorWebhooks(take, { inbox: platform.demo.inbox, url });
  await take('GET /v1/audit', '?limit=2');
  await take('DELETE /v1/custom-fields/{id}', field._id);
  await take('DELETE /v1/contacts/{id}', contact._id);
  await take('DELETE /v1/businesses/{id}', business._id);
  const step = (await platform.call(200, 'GET', '/v1/pipelines')).body.result.find((each: Json) => each.is_default)
    .steps[0]._id;
  await take('DELETE /v1/pipelines/{id}', `${pipeline._id}?replacement=${step}`);
  await take('DELETE /v1/users/{id}', user._id);
  return events;
}

/** Returns the newest delivery of each event that the platform emits. */
async function recordEvents(platform: Platform): Promise<Json> {
  const found: [string, Json][] = [];
  for (const event of EVENT_NAMES.filter((name) => !NOT_EMITTED.has(name))) {
    const delivered = await platform.deliveries(({ body }) => body.event === event);
    found.push([event, delivered[0].body]);
  }
  return Object.fromEntries([...found, ['FOLLOWUP_SENT', makeFollowUp(found)]]);
}

// The platform does not emit this event yet.
const NOT_EMITTED = new Set(['FOLLOWUP_SENT']);

/** Makes up an example of FOLLOWUP_SENT, about the same conversation as the other examples. */
function makeFollowUp(found: [string, Json][]): Json {
  const { timestamp, data } = Object.fromEntries(found).MESSAGE_SENT;
  const { company, conversation, contact, inbox, _id } = data;
  const written = { content: 'Shall we reserve the cake for you?', index: 0, status: 'SENT', cancel_reason: null };
  const times = { scheduled_at: timestamp, sent_at: timestamp, createdAt: timestamp, updatedAt: timestamp };
  const about = { company, conversation, contact, inbox, agent: 'a'.repeat(24), message: _id };
  return { event: 'FOLLOWUP_SENT', timestamp, data: { _id: 'b'.repeat(24), ...about, ...written, ...times } };
}

/** Returns what performs the steps on a platform. */
const bindTo =
  (platform: Platform): Take =>
  (name, ids = '', step) => {
    const [, template = ''] = name.split(' ');
    const [inPath = '', query] = ids.split('?');
    const path = fillPath(template, ...inPath.split(','));
    return record(platform, name, query === undefined ? path : `${path}?${query}`, step);
  };

const server = await openTestServer({ durable: false });
process.env['PARLEY_TEST_SERVER'] = JSON.stringify(server.address);
const { platform, close } = await openPlatform();
try {
  const take = bindTo(platform);
  // A worker copies the templates. Waited for here, its times come before all others.
  await waitUntil('the templates', async () => {
    const { body } = await platform.call(200, 'GET', `/v1/inboxes/${platform.demo.inbox}/templates`);
    return body.result.length > 0;
  });
  const user = await recordPeople(take, platform);
  await recordCompanies(take, platform);
  const records = await recordRecords({ take, forget }, user);
  const talk = await recordConversations(take, platform, { ...records, user });
  await take('GET /v1/contacts/{id}/data', talk.sent.contact);
  await recordReports(take, platform, user);
  await recordRevocation(take, platform, talk.sent.contact);
  await recordBulk(take, platform.demo.inbox);
  await recordCampaigns(take, platform.demo.inbox, forget);
  await recordTables(take, records);
  await recordKnowledge(take, forget);
  await recordAgents(take, platform, forget);
  await recordAssist(bindTo);
  await recordAttachments(take, platform);
  await recordNotifications(take, platform, talk.sent.conversation);
  const events = await recordEnd(take, platform, { ...records, ...talk, user });
  await recordApp(take, platform);
  await recordLogIns(take, platform);
  const sorted = Object.fromEntries([...operations].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const recorded = settle({ operations: sorted, events });
  writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`);
  console.log(`${FILE}: ${operations.size} operations, ${Object.keys(events).length} events`);
} finally {
  await close();
  await server.close();
}
