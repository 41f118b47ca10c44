/** The company's webhook as a record: its shape, strict validation, headers, targets, status, and one per company. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_NAMES } from '../../platform/store/events.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';

const platform = await startPlatform();
const { call } = platform;

const URL_A = 'http://127.0.0.1:9009/a';
const URL_B = 'http://127.0.0.1:9009/b';
const SECRET = 'secret-value-1234';
const UNKNOWN_ID = 'f'.repeat(24);

interface Caller {
  key: string;
}

async function companyWithWebhook(webhook: Record<string, unknown> = {}) {
  const company = await platform.createCompany();
  const body = { url: URL_A, events: ['MESSAGE_SENT'], ...webhook };
  const created = await call(201, 'POST', '/v1/webhooks', { key: company.key, body });
  return { ...company, record: created.body as Json };
}

const readWebhook = async ({ key }: Caller): Promise<Json> => (await call(200, 'GET', '/v1/webhooks', { key })).body;
const create = (status: number, { key }: Caller, body: unknown) => call(status, 'POST', '/v1/webhooks', { key, body });
const errorPaths = (answer: { body: Json }): string[] => answer.body.errors.map((error: Json) => error.path);

test('POST of a webhook answers 201 with the whole record, which is ACTIVE and without headers unless the caller sets them', async () => {
  const company = await platform.createCompany();
  const { body } = await create(201, company, { url: URL_A, events: ['MESSAGE_SENT', 'CONTACT_CREATED'] });
  const { _id, createdAt, updatedAt, ...rest } = body;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(updatedAt, createdAt);
  assert.deepEqual(rest, {
    company: company._id,
    url: URL_A,
    events: ['MESSAGE_SENT', 'CONTACT_CREATED'],
    custom_headers: {},
    status: 'ACTIVE',
  });
  assert.deepEqual(await readWebhook(company), body);
});

test('a webhook can be created INACTIVE, with headers, and listen to every event', async () => {
  const custom_headers = { 'X-Origin-Key': SECRET, authorization: 'Basic abc' };
  const { record } = await companyWithWebhook({ status: 'INACTIVE', events: [...EVENT_NAMES], custom_headers });
  assert.equal(record.status, 'INACTIVE');
  assert.deepEqual(record.events, EVENT_NAMES);
  assert.deepEqual(record.custom_headers, custom_headers);
});

test('GET answers null while the company has no webhook, and one object after that, never a list', async () => {
  const company = await platform.createCompany();
  const none = await call(200, 'GET', '/v1/webhooks', { key: company.key });
  assert.match(none.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(none.body, null);
  const { body } = await create(201, company, { url: URL_A, events: ['MESSAGE_SENT'] });
  assert.equal((await readWebhook(company))._id, body._id);
});

test('a second webhook answers 409 WEBHOOK_EXISTS with the id of the first, which stays unchanged', async () => {
  const company = await companyWithWebhook();
  const { body } = await create(409, company, { url: URL_B, events: ['MESSAGE_READ'] });
  assert.deepEqual([body.code, body.existing_id], ['WEBHOOK_EXISTS', company.record._id]);
  assert.deepEqual(await readWebhook(company), company.record);
});

test('of 20 requests that create a webhook at the same moment one succeeds, and 19 answer 409', async () => {
  const company = await platform.createCompany();
  const headers = { authorization: `Bearer ${company.key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: URL_A, events: ['MESSAGE_SENT'] });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => fetch(`${platform.url}/v1/webhooks`, { method: 'POST', headers, body })),
  );
  const statuses = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)]);
  const rows = await platform.database.sql('select 1 from webhooks where company_id = $1', [company._id]);
  assert.equal(rows.length, 1);
});

test('PUT of a webhook changes the given fields, answers 200 with the record, and leaves the other fields unchanged', async () => {
  const company = await companyWithWebhook({ custom_headers: { 'x-key': SECRET } });
  const path = `/v1/webhooks/${company.record._id}`;
  const put = async (body: unknown): Promise<Json> => (await call(200, 'PUT', path, { key: company.key, body })).body;
  const changes = [{}, { status: 'INACTIVE' }, { url: URL_B }, { events: ['MESSAGE_READ'] }, { status: 'ACTIVE' }];
  let expected = company.record;
  for (const change of changes) {
    const { updatedAt, ...answered } = await put(change);
    expected = { ...expected, ...change };
    assert.deepEqual({ ...answered, updatedAt: expected.updatedAt }, expected);
    assert.ok(updatedAt >= expected.updatedAt);
  }
  assert.equal((await readWebhook(company)).url, URL_B);
});

test('PUT of a webhook replaces all headers, but a header whose mask is sent back keeps its stored value', async () => {
  const company = await companyWithWebhook({ custom_headers: { 'X-Key': SECRET, 'x-old': 'old' } });
  const body = { custom_headers: { 'x-key': '••••1234', 'x-new': 'new' } };
  const put = await call(200, 'PUT', `/v1/webhooks/${company.record._id}`, { key: company.key, body });
  assert.deepEqual(put.body.custom_headers, { 'x-key': SECRET, 'x-new': 'new' });
  const emptied = await call(200, 'PUT', `/v1/webhooks/${company.record._id}`, {
    key: company.key,
    body: { custom_headers: {} },
  });
  assert.deepEqual(emptied.body.custom_headers, {});
});

test('DELETE of a webhook answers 200 with the removed record, after which GET answers null and a new webhook can be created', async () => {
  const company = await companyWithWebhook({ custom_headers: { 'x-key': SECRET } });
  const path = `/v1/webhooks/${company.record._id}`;
  const removed = await call(200, 'DELETE', path, { key: company.key });
  assert.deepEqual(removed.body, company.record);
  assert.equal(await readWebhook(company), null);
  await call(404, 'DELETE', path, { key: company.key });
  await call(404, 'PUT', path, { key: company.key, body: {} });
  const again = await create(201, company, { url: URL_B, events: ['MESSAGE_SENT'] });
  assert.notEqual(again.body._id, company.record._id);
});

test('callers without webhooks:update see masks instead of header values in every answer', async () => {
  const company = await platform.createCompany();
  const limited = await platform.createKey(company._id, ['webhooks:create', 'webhooks:read', 'webhooks:delete']);
  const masked = { 'x-key': '••••1234', 'x-short': '••••' };
  const custom_headers = { 'x-key': SECRET, 'x-short': 'short' };
  const key = limited.token;
  const created = await create(201, { key }, { url: URL_A, events: ['MESSAGE_SENT'], custom_headers });
  assert.deepEqual(created.body.custom_headers, masked);
  assert.deepEqual((await readWebhook({ key })).custom_headers, masked);
  assert.deepEqual((await readWebhook(company)).custom_headers, custom_headers);
  const removed = await call(200, 'DELETE', `/v1/webhooks/${created.body._id}`, { key });
  assert.deepEqual(removed.body.custom_headers, masked);
});

test('header values are encrypted in the database', async () => {
  const { record } = await companyWithWebhook({ custom_headers: { 'x-key': SECRET } });
  const [row] = await platform.database.sql('select * from webhooks where _id = $1', [record._id]);
  assert.ok(!JSON.stringify(row).includes(SECRET));
});

test('a webhook with unknown, read-only, missing or wrongly typed fields answers 400, names each of them and creates nothing', async () => {
  const company = await platform.createCompany();
  const good = { url: URL_A, events: ['MESSAGE_SENT'] };
  const cases: [unknown, string][] = [
    [{ events: ['MESSAGE_SENT'] }, 'url'],
    [{ url: URL_A }, 'events'],
    [{ ...good, url: null }, 'url'],
    [{ ...good, url: 7 }, 'url'],
    [{ ...good, url: '' }, 'url'],
    [{ ...good, events: [] }, 'events'],
    [{ ...good, events: null }, 'events'],
    [{ ...good, events: 'MESSAGE_SENT' }, 'events'],
    [{ ...good, events: ['MESSAGE_SENT', 'MESSAGE_SENT'] }, 'events'],
    [{ ...good, events: ['MESSAGE_SENT', 'message_sent'] }, 'events[1]'],
    [{ ...good, status: 'PAUSED' }, 'status'],
    [{ ...good, status: null }, 'status'],
    [{ ...good, custom_headers: null }, 'custom_headers'],
    [{ ...good, custom_headers: { 'x-key': 1 } }, 'custom_headers.x-key'],
    [{ ...good, custom_headers: { 'x-key': null } }, 'custom_headers.x-key'],
    [{ ...good, _id: UNKNOWN_ID }, '_id'],
    [{ ...good, company: company._id }, 'company'],
    [{ ...good, secret: 'x' }, 'secret'],
    [[], 'body'],
    ['text', 'body'],
  ];
  for (const [body, path] of cases) {
    const answer = await create(400, company, body);
    assert.equal(answer.body.code, 'VALIDATION_FAILED', JSON.stringify(body));
    assert.ok(errorPaths(answer).includes(path), `${JSON.stringify(body)} names ${errorPaths(answer).join()}`);
  }
  assert.equal(await readWebhook(company), null);
});

test('PUT of a webhook validates as strictly as POST, and a refused change changes nothing', async () => {
  const company = await companyWithWebhook({ custom_headers: { 'x-key': SECRET } });
  const path = `/v1/webhooks/${company.record._id}`;
  const refused: [unknown, string][] = [
    [{ events: [] }, 'events'],
    [{ status: null }, 'status'],
    [{ url: null }, 'url'],
    [{ custom_headers: null }, 'custom_headers'],
    [{ company: UNKNOWN_ID }, 'company'],
    [{ createdAt: company.record.createdAt }, 'createdAt'],
    [{ url: URL_B, custom_headers: { host: 'x' } }, 'custom_headers.host'],
    [{ url: URL_B, custom_headers: { 'x-other': '••••1234' } }, 'custom_headers.x-other'],
  ];
  for (const [body, at] of refused)
    assert.ok(errorPaths(await call(400, 'PUT', path, { key: company.key, body })).includes(at), at);
  assert.deepEqual(await readWebhook(company), company.record);
});

test('reserved, malformed, invisible, oversized and duplicate headers answer 400, and the answer names the header but not its value', async () => {
  const company = await platform.createCompany();
  const reserved = ['Host', 'content-type', 'Content-Length', 'transfer-encoding', 'connection', 'te', 'upgrade'];
  const others = [
    'X-Webhook-Event',
    'x-webhook-delivery',
    'x-webhook-replay-of',
    'proxy-authorization',
    'keep-alive',
    'trailer',
    'expect',
    'accept-encoding',
  ];
  const malformed = ['bad name', 'bäd', 'x:y', '', 'x'.repeat(300)];
  for (const name of [...reserved, ...others, ...malformed]) {
    const body = { url: URL_A, events: ['MESSAGE_SENT'], custom_headers: { 'x-fine': 'fine', [name]: SECRET } };
    const answer = await create(400, company, body);
    assert.deepEqual(errorPaths(answer), [`custom_headers.${name}`]);
    assert.ok(!JSON.stringify(answer.body).includes(SECRET));
  }
  const invisible = ['é', 'a\tb', 'del\u007f', ' before', 'after ', ' '];
  for (const value of [...invisible, 'line\nbreak', 'carriage\rreturn', 'emoji 🙂', '••••1234', 'x'.repeat(4_097)]) {
    const answer = await create(400, company, {
      url: URL_A,
      events: ['MESSAGE_SENT'],
      custom_headers: { 'x-key': value },
    });
    assert.deepEqual(errorPaths(answer), ['custom_headers.x-key']);
  }
  const twice = { 'x-key': 'a', 'X-Key': 'b' };
  const answer = await create(400, company, { url: URL_A, events: ['MESSAGE_SENT'], custom_headers: twice });
  assert.deepEqual(errorPaths(answer), ['custom_headers.X-Key']);
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'v']));
  await create(400, company, { url: URL_A, events: ['MESSAGE_SENT'], custom_headers: many });
  assert.equal(await readWebhook(company), null);
});

test('a target that is not a public http address answers 400 TARGET_NOT_ALLOWED at POST and at PUT', async () => {
  const company = await companyWithWebhook();
  const other = await platform.createCompany();
  const targets = [
    'http://10.0.0.1/',
    'http://192.168.1.1:8080/',
    'http://169.254.169.254/latest/meta-data',
    'http://0x0a000001/',
    'http://167772161/',
    'http://[::ffff:10.0.0.1]/',
    'http://[fd00::1]/',
    'https://100.64.0.1/',
    'https://93.184.216.34:22/',
    'https://user:password@93.184.216.34/',
    'ftp://93.184.216.34/',
    'file:///etc/passwd',
    'not a url',
  ];
  for (const url of targets) {
    for (const answer of [
      await create(400, other, { url, events: ['MESSAGE_SENT'] }),
      await call(400, 'PUT', `/v1/webhooks/${company.record._id}`, { key: company.key, body: { url } }),
    ]) {
      assert.equal(answer.body.code, 'TARGET_NOT_ALLOWED', url);
      assert.deepEqual(errorPaths(answer), ['url']);
    }
  }
  assert.deepEqual(await readWebhook(company), company.record);
});
