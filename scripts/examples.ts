/**
 * Records docs/reference/examples.json from a real run: `node scripts/examples.ts` starts a platform, calls each operation once, and writes
 * requests and answers. Ids, times and secrets are replaced, so that a new recording differs only where the API has changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { buildOpenApi } from '../src/api.ts';
import { openTestServer } from '../test/support/database.ts';
import { buildForm } from '../test/full/matrix/forms.ts';
import { openPlatform, type Json, type Platform } from '../test/support/platform.ts';
import { PASSWORD, readMailToken, waitForMail } from '../test/support/people.ts';
import { until } from '../test/support/wait.ts';

const FILE = 'docs/reference/examples.json';

interface Step {
  /** The API key to use in place of the demo company's. */
  key?: string | null;
  body?: Json;
  form?: Json;
  headers?: Record<string, string>;
}

const { paths } = (await buildOpenApi()) as Json;
const operations = new Map<string, { request?: Json; answer: Json }>();

/** Performs one step of the run; the first step of each operation becomes its example. */
async function record(platform: Platform, name: string, path: string, step: Step = {}): Promise<Json> {
  const [method = '', template = ''] = name.split(' ');
  const spec: Json = paths[template]?.[method.toLowerCase()];
  if (!spec) throw new Error(`the document does not know ${name}`);
  const { form, key, headers = {}, body } = step;
  const sent = form ? buildForm(form) : { headers: {} };
  const status = Number(Object.keys(spec.responses).findLast((each) => each.startsWith('2')));
  const answer = await platform.call(status, method, path, {
    ...(body === undefined ? {} : { body }),
    ...sent,
    headers: { ...sent.headers, ...headers },
    ...(key === undefined ? {} : { key }),
  });
  const request = form ?? body;
  if (!operations.has(spec.operationId))
    operations.set(spec.operationId, { ...(request === undefined ? {} : { request }), answer: answer.body });
  return answer.body;
}

type Take = (name: string, path?: string, step?: Step) => Promise<Json>;
const at = (path: string, ...ids: string[]): string => path.replaceAll(/\{\w+\}/g, () => ids.shift() ?? '');

async function recordPeople(take: Take, platform: Platform): Promise<Json> {
  const invited = await take('POST /v1/users', '', {
    body: { name: 'Ana Lima', email: 'ana@example.com', role: 'ADMIN' },
  });
  const token = readMailToken(await waitForMail(platform, 'ana@example.com'));
  await take('POST /v1/auth/reset-password', '', { key: null, body: { token, new_password: PASSWORD } });
  await take('POST /v1/auth/login', '', { key: null, body: { email: 'ana@example.com', password: PASSWORD } });
  await take('POST /v1/auth/forgot-password', '', { key: null, body: { email: 'ana@example.com' } });
  // A job sends this mail later. Waited for here, it can not come after the next one.
  await waitForMail(platform, 'ana@example.com', 2);
  await take('GET /v1/users');
  await take('GET /v1/users/{id}', invited._id);
  await take('PATCH /v1/users/{id}', invited._id, { body: { language: 'es' } });
  await take('GET /v1/auth/me');
  const expires_at = '2030-01-31T12:00:00.000Z';
  const key = { name: 'Shop', type: 'company', scopes: ['contacts:*', 'messages:create'], expires_at };
  const made = await take('POST /v1/api-keys', '', { body: key });
  await take('GET /v1/api-keys');
  await take('DELETE /v1/api-keys/{id}', made._id);
  return invited;
}

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
  await take('POST /v1/auth/accept-invitation', '', { key: null, body: { token } });
  await take('GET /v1/companies', '', { key });
  await take('GET /v1/companies/{id}', _id, { key });
  await take('PATCH /v1/companies/{id}', _id, { key, body: { description: 'Bread and coffee since 1974' } });
}

async function recordRecords(take: Take, user: Json): Promise<Json> {
  const field = { title: 'Plan', context: 'contact', type: 'SELECT', options: ['Basic', 'Gold'] };
  const plan = await take('POST /v1/custom-fields', '', { body: field });
  await take('GET /v1/custom-fields');
  await take('GET /v1/custom-fields/{id}', plan._id);
  await take('PATCH /v1/custom-fields/{id}', plan._id, { body: { options: ['Basic', 'Silver', 'Gold'] } });
  const business = await take('POST /v1/businesses', '', {
    body: { name: 'Café Central', domain: 'cafe-central.example' },
  });
  await take('GET /v1/businesses');
  await take('GET /v1/businesses/{id}', business._id);
  await take('PATCH /v1/businesses/{id}', business._id, {
    body: { description: 'Buys every morning', owner: user._id },
  });
  const body = {
    name: 'Maria Silva',
    email: 'maria@example.com',
    phone_number: '+55 11 98888-7777',
    tags: ['vip'],
    business: business._id,
    custom_fields: { plan: 'Basic' },
  };
  const contact = await take('POST /v1/contacts', '', { body, headers: { 'idempotency-key': 'contact-1' } });
  await take('GET /v1/contacts');
  await take('GET /v1/contacts/{id}', contact._id);
  await take('PATCH /v1/contacts/{id}', contact._id, { body: { owner: user._id, custom_fields: { plan: 'Gold' } } });
  const other = await take('POST /v1/contacts', '', { body: { name: 'Maria', external_id: 'shop-4711' } });
  await take('POST /v1/contacts/{id}/merge', contact._id, { body: { contact: other._id } });
  await take('GET /v1/contacts/export');
  const form = {
    file: 'Nome,Telefone,Plano\nJoão Souza,+55 11 97777-6666,Gold\nRui,,Platin\n',
    mapping: { Plano: 'custom_fields.plan' },
  };
  await recordImport(take, '/v1/contacts/import', [], form);
  await take('GET /v1/contacts/import');
  return { contact, business, field: plan };
}

async function recordImport(take: Take, path: string, ids: string[], form: Json): Promise<void> {
  const { _id } = await take(`POST ${path}`, ids.join(), { form });
  const read = `GET ${path}/{importId}`;
  await until('the import', async () => {
    operations.delete(paths[`${path}/{importId}`].get.operationId);
    return (await take(read, [...ids, _id].join())).finished_at !== null;
  });
  await take(`${read}/errors`, [...ids, _id].join());
}

async function recordConversations(take: Take, platform: Platform, { contact, user }: Json): Promise<Json> {
  await take('GET /v1/inboxes');
  await take('GET /v1/inboxes/{id}', platform.demo.inbox);
  await take('PUT /v1/inboxes/{id}', platform.demo.inbox, { body: { name: 'Sales', default_owner: user._id } });
  await take('POST /v1/inboxes', '', { body: { channel: 'WEB_V2', name: 'Website' } });
  const steps = [{ name: 'New' }, { name: 'Qualified' }, { name: 'Bought', kind: 'WON' }];
  const pipeline = await take('POST /v1/pipelines', '', { body: { name: 'Sales', steps } });
  await take('GET /v1/pipelines');
  await take('GET /v1/pipelines/{id}', pipeline._id);
  await take('PATCH /v1/pipelines/{id}', pipeline._id, { body: { name: 'Sales in Brazil' } });
  await platform.receive({ from: '5511988887777', name: 'Maria Silva', text: 'Hello, is anybody there?' });
  const body = { inbox: platform.demo.inbox, name: 'João Souza', phone_number: '+55 11 97777-6666' };
  await take('POST /v1/conversations', '', { body });
  const { result } = await take('GET /v1/conversations', `?contact=${contact._id}`);
  const conversation = result[0]._id;
  await take('GET /v1/conversations/{id}', conversation);
  await take('PATCH /v1/conversations/{id}', conversation, { body: { owner: user._id, tags: ['order'] } });
  await take('PUT /v1/conversations/{id}/step', conversation, { body: { step: pipeline.steps[1]._id } });
  await take('PUT /v1/conversations/{id}/read', conversation);
  const message = { content: 'Hello Maria! How can we help?', contentType: 'TEXT' };
  const headers = { 'idempotency-key': 'greeting-1' };
  const sent = await take('POST /v1/messages/send-text', '', {
    body: { conversationId: conversation, message },
    headers,
  });
  const note = { content: 'She asked for a cake on Friday', contentType: 'TEXT' };
  await take('POST /v1/messages/note', '', { body: { conversationId: conversation, message: note } });
  await platform.sandbox('PUT', '/sandbox/settings', { fail_status: { code: 131026, times: 1 } });
  const lost = { content: 'Are you still there?', contentType: 'TEXT' };
  await take('POST /v1/messages/send-text', '', { body: { conversationId: conversation, message: lost } });
  await take('GET /v1/messages/{id}', sent._id);
  await take('GET /v1/messages/conversation/{id}', conversation);
  return { pipeline, sent };
}

async function recordTables(take: Take, { contact }: Json): Promise<void> {
  const columns = [
    { key: 'product', title: 'Product', type: 'TEXT', required: true },
    { key: 'price', title: 'Price', type: 'NUMBER' },
  ];
  const { _id } = await take('POST /v1/tables', '', { body: { name: 'Orders', columns } });
  await take('GET /v1/tables');
  const data = { product: 'Carrot cake', price: 79.9 };
  const row = await take('POST /v1/tables/{tableId}/rows', _id, { body: { data, contact_id: contact._id } });
  await take('GET /v1/tables/{id}', _id);
  await take('PATCH /v1/tables/{id}', _id, { body: { description: 'What was ordered' } });
  await take('GET /v1/tables/{tableId}/rows', _id);
  await take('PATCH /v1/tables/{tableId}/rows/{rowId}', `${_id},${row._id}`, { body: { data: { price: 75 } } });
  await take('GET /v1/tables/{id}/export', _id);
  await take('DELETE /v1/tables/{tableId}/rows/{rowId}', `${_id},${row._id}`);
  await recordImport(take, '/v1/tables/{id}/import', [_id], { file: 'product,price\nBread,12.5\n,3\n' });
  await take('DELETE /v1/tables/{id}', _id);
}

/** The last steps: the webhook's deliveries, and removals. */
async function recordEnd(
  take: Take,
  platform: Platform,
  { user, contact, business, field, pipeline }: Json,
): Promise<Json> {
  await take('GET /v1/webhooks');
  const { result } = await take('GET /v1/webhooks/deliveries', '?event=MESSAGE_SENT');
  await take('POST /v1/webhooks/deliveries/{id}/replay', result[0]._id);
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

/** The newest delivery of each event that the platform emits. */
async function recordEvents(platform: Platform): Promise<Json> {
  const wanted = Object.keys((JSON.parse(readFileSync('docs/reference/webhooks.json', 'utf8')) as Json).events);
  const found: [string, Json][] = [];
  for (const event of wanted.filter((name) => !NOT_EMITTED.has(name))) {
    const delivered = await platform.deliveries(({ body }) => body.event === event);
    found.push([event, delivered[0].body]);
  }
  return Object.fromEntries([...found, ['FOLLOWUP_SENT', makeFollowUp(found)]]);
}

// The platform does not emit this event yet.
const NOT_EMITTED = new Set(['FOLLOWUP_SENT']);

/** An invented example of that event, about the same conversation as the other examples. */
function makeFollowUp(found: [string, Json][]): Json {
  const { timestamp, data } = Object.fromEntries(found).MESSAGE_SENT;
  const { company, conversation, contact, inbox, _id } = data;
  const written = { content: 'Shall we reserve the cake for you?', index: 0, status: 'SENT', cancel_reason: null };
  const times = { scheduled_at: timestamp, sent_at: timestamp, createdAt: timestamp, updatedAt: timestamp };
  const about = { company, conversation, contact, inbox, agent: 'a'.repeat(24), message: _id };
  return { event: 'FOLLOWUP_SENT', timestamp, data: { _id: 'b'.repeat(24), ...about, ...written, ...times } };
}

const MADE_UP = [
  [/"eyJ[\w-]+\.[\w-]+\.[\w-]+"/g, '"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjEifQ.e30.c2lnbmF0dXJl"'],
  [/("token":")[\w-]{30,}"/g, '$1wq3Yt0aV8mB2kR5nZ7cX1pL4sD6fG9hJ0uE3iO5yTxA"'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://crm.example.com'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '0f6c3d0e-5c52-4b0e-9d39-1f4a7d4c2b11'],
  [/wamid\.[\w+/=-]+/g, 'wamid.HBgNNTUxMTk4ODg4Nzc3NxUCABEYEjdGNTk2'],
  [/("hint":")[^"]+"/g, '$1h7Qk"'],
  [/("(?:response_ms|ms)":)\d+/g, '$17'],
  [PASSWORD, 'a long pass phrase'],
] as const;

/** Replaces what differs from run to run, so that the same steps always give the same text. */
function settle(recorded: object): Json {
  let text = JSON.stringify(recorded);
  for (const [pattern, made] of MADE_UP) text = text.replaceAll(pattern, made);
  const ids = new Map<string, string>();
  text = text.replaceAll(/(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g, (id) => {
    const known = ids.get(id) ?? `6b02563b112d487fe1c7${(0x1000 + ids.size).toString(16)}`;
    ids.set(id, known);
    return known;
  });
  const times = [...new Set(text.match(TIME) ?? [])].filter((time) => time < '2030').toSorted();
  return JSON.parse(
    text.replaceAll(TIME, (time) =>
      time < '2030' ? new Date(Date.UTC(2026, 10, 20, 12) + times.indexOf(time) * 1_000).toISOString() : time,
    ),
  );
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

const server = await openTestServer();
process.env['PARLEY_TEST_SERVER'] = JSON.stringify(server.address);
const { platform, close } = await openPlatform();
try {
  const take: Take = (name, ids = '', step) => {
    const [, template = ''] = name.split(' ');
    const isQuery = ids.startsWith('?');
    return record(platform, name, isQuery ? template + ids : at(template, ...ids.split(',')), step);
  };
  const user = await recordPeople(take, platform);
  await recordCompanies(take, platform);
  const records = await recordRecords(take, user);
  const talk = await recordConversations(take, platform, { ...records, user });
  await recordTables(take, records);
  const events = await recordEnd(take, platform, { ...records, ...talk, user });
  const sorted = [...operations].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const recorded = settle({ operations: Object.fromEntries(sorted), events });
  writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`);
  console.log(`${FILE}: ${operations.size} operations, ${Object.keys(events).length} events`);
} finally {
  await close();
  await server.close();
}
