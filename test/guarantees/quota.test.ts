/** The storage quota of a company: its stored bytes are counted exactly, and its own writes are refused once the quota is used up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/platform/values/ids.ts';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  openNetwork,
  makeMessageId,
  waitUntilCopied,
} from '../support/network.ts';
import { startPlatform, type Answer, type CallOptions, type Json } from '../support/platform.ts';
import { createRandom } from '../support/random.ts';
import { expectProblem } from '../support/refusals.ts';
import { measureBytes } from '../support/rows.ts';
import { importSheet } from '../support/sheets.ts';
import { writeAsContact, reportStatuses, sendText } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const MB = 2 ** 20;
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
console.log(`SEED=${seed}`);

const platform = await startPlatform({ env: { COMPANY_QUOTA: '1000MB' } });
const { call, database, demo, globalKey } = platform;
const network = await openNetwork(platform);

const sumRecordBytes = async (company: string): Promise<number> => (await measureBytes(platform, company)).records;
const readCompany = async (company: string): Promise<Json> =>
  (await call(200, 'GET', `/v1/companies/${company}`, { key: globalKey })).body;
const readStoredBytes = async (company: string): Promise<number> => (await readCompany(company)).usage.stored_bytes;
const setQuota = (company: string, bytes: number | null): Promise<Answer> =>
  call(200, 'PATCH', `/v1/companies/${company}`, { key: globalKey, body: { limits: { stored_bytes: bytes } } });

/** Waits until all changed sizes are added to the stored sum of their company. */
const awaitSums = (): Promise<unknown> =>
  waitUntil(
    'the changes to be added up',
    async () => (await database.sql('select 1 from stored_changes limit 1')).length === 0,
  );

const columns = [{ key: 'a', type: 'TEXT' }];
const table = (await call(201, 'POST', '/v1/tables', { body: { name: 'T', columns } })).body;
const defineField = async (context: string, slug: string): Promise<Json> =>
  (await call(201, 'POST', '/v1/custom-fields', { body: { title: slug, slug, context, type: 'TEXT' } })).body;
const memo = await defineField('contact', 'memo');
await defineField('conversation', 'topic');

/** A sheet of contacts with two invalid rows. */
const makeSheet = (rows: number): { name: string; data: string } => {
  const lines = Array.from(
    { length: rows },
    (_, n) => `Person ${n},${n < 2 ? 'no address' : `${newId()}@example.test`}`,
  );
  return { name: 'people.csv', data: `name,email\n${lines.join('\n')}\n` };
};

const makeText = (random: () => number): string => 'x'.repeat(Math.floor(random() * 3_000));

/** Returns requests that a company or one of its contacts may make, in any order. A request about a record that is gone gets an error. */
function makeSteps(random: () => number): (() => Promise<unknown>)[] {
  const ids = {
    contacts: [] as string[],
    businesses: [] as string[],
    conversations: [] as string[],
    rows: [] as string[],
  };
  const pick = (list: string[]): string => list[Math.floor(random() * list.length)] ?? newId();
  const ask = async (method: string, path: string, body?: object): Promise<Json> => {
    const response = await fetch(platform.url + path, {
      method,
      headers: { authorization: `Bearer ${demo.key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as Json;
    assert.ok([200, 201, 400, 404, 409, 503].includes(response.status), JSON.stringify(answer));
    return response.ok ? answer : {};
  };
  const keep = (list: string[], { _id }: Json): unknown => _id && list.push(_id);
  const rows = `/v1/tables/${table._id}/rows`;
  return [
    async () =>
      keep(ids.contacts, await ask('POST', '/v1/contacts', { name: 'Ana', custom_fields: { memo: makeText(random) } })),
    () =>
      ask('PATCH', `/v1/contacts/${pick(ids.contacts)}`, {
        tags: ['a', 'b'],
        custom_fields: { memo: makeText(random) },
      }),
    () => ask('DELETE', `/v1/contacts/${pick(ids.contacts)}`),
    () => ask('POST', `/v1/contacts/${pick(ids.contacts)}/merge`, { contact: pick(ids.contacts) }),
    async () =>
      keep(
        ids.businesses,
        await ask('POST', '/v1/businesses', { name: 'B', description: makeText(random).slice(2_000) }),
      ),
    () => ask('PATCH', `/v1/businesses/${pick(ids.businesses)}`, { description: makeText(random).slice(1_500) }),
    () => ask('DELETE', `/v1/businesses/${pick(ids.businesses)}`),
    async () => keep(ids.rows, await ask('POST', rows, { data: { a: makeText(random) } })),
    () => ask('PATCH', `${rows}/${pick(ids.rows)}`, { data: { a: makeText(random) } }),
    () => ask('DELETE', `${rows}/${pick(ids.rows)}`),
    async () => {
      const { contact, conversation } = await writeAsContact(platform, {
        text: makeText(random).slice(0, 900) || 'Oi',
      });
      ids.contacts.push(contact._id);
      ids.conversations.push(conversation._id);
    },
    () =>
      ask('POST', '/v1/messages/note', {
        conversationId: pick(ids.conversations),
        message: { content: `n${makeText(random)}` },
      }),
    async () => {
      const body = { conversationId: pick(ids.conversations), message: { content: 'Olá' } };
      const { external_id } = await ask('POST', '/v1/messages/send-text', body);
      if (external_id)
        await reportStatuses(platform, { id: external_id, status: 'failed', errors: [{ code: 131_026, title: 'x' }] });
    },
    () =>
      ask('PATCH', `/v1/conversations/${pick(ids.conversations)}`, {
        tags: ['late'],
        custom_fields: { topic: makeText(random) },
      }),
  ];
}

test('the stored bytes of a company are counted exactly, even while records are written, changed, merged, imported and erased at the same time', async () => {
  const random = createRandom(seed);
  const steps = makeSteps(random);
  const walk = async (): Promise<void> => {
    for (let count = 0; count < 60; count += 1) await steps[Math.floor(random() * steps.length)]?.();
  };
  await Promise.all([walk(), walk(), walk(), importSheet(platform, '/v1/contacts/import', { file: makeSheet(500) })]);
  await call(200, 'DELETE', `/v1/custom-fields/${memo._id}`);
  await database.sql('update pgboss.job set start_after = now() where completed_on is null');
  await waitUntil('the values of a removed field to go', async () => {
    const left = await database.sql(`select 1 from contacts where custom_fields <> '{}' limit 1`);
    return left.length === 0;
  });
  assert.equal(await readStoredBytes(demo._id), await sumRecordBytes(demo._id));
  await call(200, 'DELETE', `/v1/tables/${table._id}`);
  await waitUntil('the rows to go', async () => (await database.sql('select 1 from table_rows limit 1')).length === 0);
  await awaitSums();
  assert.equal(await readStoredBytes(demo._id), await sumRecordBytes(demo._id));
});

test('after random changes message_keys has the key of each message with an id of its network, and no other key', async () => {
  const [counts] = await database.sql<{ messages: number; differences: number }>(
    `select count(m._id)::int as messages, count(*) filter (where m._id is null or k.message_id is null)::int as differences
      from (select company_id, message_id, key from message_keys) k
      full join (select company_id, _id, message_key(inbox_id, external_id) as key from messages where external_id is not null) m
        on (m.company_id, m._id, m.key) = (k.company_id, k.message_id, k.key)`,
  );
  assert.ok(counts && counts.messages > 0);
  assert.equal(counts.differences, 0);
});

/** Creates a company with a phone, an open conversation and a quota that is used up. */
async function createFullCompany(): Promise<{
  own: Awaited<ReturnType<typeof platform.createCompany>>;
  phone: Json;
  conversation: Json;
}> {
  const own = await platform.createCompany();
  const phone = await connectPhone(platform, { company: own });
  await network.post(200, buildMessageNotification(phone, { from: makePhoneNumber(), id: makeMessageId() }));
  const [conversation] = (await call(200, 'GET', '/v1/conversations', { key: own.key })).body.result;
  const contact = `/v1/contacts/${conversation.contact}`;
  await call(200, 'PATCH', contact, { key: own.key, body: { tags: ['first', 'second'] } });
  // A connected inbox gets a copy of its account's templates, which counts as well.
  await waitUntilCopied(platform, phone.inbox);
  await setQuota(own._id, await readStoredBytes(own._id));
  return { own, phone, conversation };
}

test("a company with a full quota gets 409 with its usage and limit, can still read, delete and shrink records, and gets its contacts' messages", async () => {
  const { own, phone, conversation } = await createFullCompany();
  const { key } = own;
  const refused = async (method: string, path: string, body: Json, options: CallOptions = {}): Promise<void> => {
    const { usage } = await readCompany(own._id);
    const answer = await call(409, method, path, { key, body, ...options });
    expectProblem(answer, 'QUOTA_EXCEEDED');
    assert.match(
      answer.body.detail,
      new RegExp(`stores ${usage.stored_bytes} bytes and may store ${usage.allowed_bytes};`),
    );
  };
  const contact = `/v1/contacts/${conversation.contact}`;
  await refused('POST', '/v1/contacts', { name: 'Ana' }, { headers: { 'idempotency-key': 'once' } });
  await refused('PATCH', contact, { tags: ['first', 'second', 'third'] });
  await refused('POST', '/v1/businesses', { name: 'B' });
  await refused('POST', '/v1/tables', { name: 'T', columns });
  await refused('POST', '/v1/custom-fields', { title: 'x', slug: 'x', context: 'contact', type: 'TEXT' });
  await refused('PATCH', `/v1/conversations/${conversation._id}`, { tags: ['one more'] });
  await refused('POST', '/v1/messages/note', { conversationId: conversation._id, message: { content: 'x' } });
  assert.equal(await readStoredBytes(own._id), await sumRecordBytes(own._id));
  await call(201, 'POST', '/v1/contacts', { body: { name: 'Neighbour' } });

  const received = makeMessageId();
  await network.post(200, buildMessageNotification(phone, { from: makePhoneNumber(), id: received }));
  const [stored] = await database.sql('select company_id from messages where external_id = $1', [received]);
  assert.deepEqual(stored, { company_id: own._id });
  const { usage } = await readCompany(own._id);
  assert.ok(usage.stored_bytes > usage.allowed_bytes);
  assert.deepEqual((await call(200, 'GET', `/v1/companies/${own._id}`, { key })).body.usage, usage);
  await call(200, 'GET', contact, { key });
  await call(200, 'PATCH', contact, { key, body: { tags: ['second'], opted_out: true } });
  const people = (await call(200, 'GET', '/v1/contacts', { key })).body.result;
  const [other] = people.filter(({ _id }: Json) => _id !== conversation.contact);
  await call(201, 'POST', `${contact}/merge`, { key, body: { contact: other._id } });
  await call(200, 'DELETE', contact, { key });
  assert.equal(await readStoredBytes(own._id), await sumRecordBytes(own._id));
  // The refused request stored nothing, so its Idempotency-Key can be used again once the quota has free bytes.
  await call(201, 'POST', '/v1/contacts', { key, body: { name: 'Ana' }, headers: { 'idempotency-key': 'once' } });
});

test('a send that the quota refuses does not reach the network, and the outcome of an earlier send is stored even when the quota is full', async () => {
  const { own, conversation } = await createFullCompany();
  const body = { conversationId: conversation._id, message: { content: 'Olá' } };
  const sent = async (): Promise<number> => (await platform.sandbox('GET', '/sandbox/messages')).messages.length;
  const before = await sent();
  expectProblem(await call(409, 'POST', '/v1/messages/send-text', { key: own.key, body }), 'QUOTA_EXCEEDED');
  assert.equal(await sent(), before);
  await setQuota(own._id, null);
  const full = await readStoredBytes(own._id);
  await sendText(platform, conversation._id, { key: own.key });
  const size = (await readStoredBytes(own._id)) - full;
  await setQuota(own._id, full + 2 * size);
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 131_026 }] } });
  const failed = await sendText(platform, conversation._id, { key: own.key });
  assert.equal(failed.status, 'FAILED');
  const { usage } = await readCompany(own._id);
  assert.ok(usage.stored_bytes > usage.allowed_bytes);
});

test("raising a company's quota takes effect at once; only a global key can set a quota, and a company without one gets that of the installation", async () => {
  const { own } = await createFullCompany();
  const { key } = own;
  const owner = await platform.createUser(own._id, 'OWNER');
  for (const token of [key, owner.token]) {
    const body = { limits: { stored_bytes: 1_000 * MB } };
    expectProblem(await call(403, 'PATCH', `/v1/companies/${own._id}`, { key: token, body }), 'FORBIDDEN', 'limits');
  }
  const create = (status: number): Promise<Answer> =>
    call(status, 'POST', '/v1/contacts', { key, body: { name: 'Ana' } });
  await create(409);
  await setQuota(own._id, MB);
  await create(201);
  await setQuota(own._id, 0);
  await create(409);
  const { limits, usage } = (await setQuota(own._id, null)).body;
  assert.deepEqual([limits, usage.allowed_bytes], [{ stored_bytes: null }, 1_000 * MB]);
  await create(201);
  await awaitSums();
  await database.sql(
    `insert into company_usage (company_id, bytes) values ($1, $2) on conflict (company_id) do update set bytes = $2`,
    [own._id, 1_000 * MB],
  );
  expectProblem(await create(409), 'QUOTA_EXCEEDED');
});

test('an import that reaches the quota ends FAILED with the code QUOTA_EXCEEDED, keeps the rows that it stored, and is not started again', async () => {
  const own = await platform.createCompany();
  const file = makeSheet(2_000);
  await setQuota(own._id, 1_500_000);
  const done = await importSheet(platform, '/v1/contacts/import', { file }, { key: own.key });
  assert.deepEqual([done.status, done.error.code], ['FAILED', 'QUOTA_EXCEEDED']);
  assert.match(done.error.message, /may store 1500000/);
  assert.ok(done.created_count > 0 && done.processed < 2_000);
  assert.ok((await readStoredBytes(own._id)) <= 1_500_000 + done.row_errors.length * 1_000);
  assert.equal(await readStoredBytes(own._id), await sumRecordBytes(own._id));
  assert.deepEqual(await database.sql('select 1 from import_chunks where company_id = $1', [own._id]), []);
});
