import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makePng } from '../../../test/support/media-samples.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { createRandom } from '../../../test/support/random.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/messages';

const list = async (query: Record<string, string>, key = demo.key): Promise<Json> =>
  (await call(200, 'GET', `${PATH}?${new URLSearchParams(query).toString()}`, { key })).body;
const find = async (search: string, others: Record<string, string> = {}): Promise<string[]> =>
  (await list({ search, ...others })).result.map(({ content }: Json) => content);
const write = async (conversationId: string, content: string): Promise<Json> =>
  (await call(201, 'POST', `${PATH}/note`, { body: { conversationId, message: { content } } })).body;

const { conversation } = await writeAsContact(platform, { from: makePhoneNumber(), text: 'Olá, José!' });
const other = await writeAsContact(platform, { from: makePhoneNumber(), text: 'O pedido #4711-A chegou?' });
await write(conversation._id, 'Ligar para JOSEFINA sobre o pedido 4712');

test('a search of messages finds each that has words which begin with all words of the search, whatever their case and accents', async () => {
  assert.deepEqual(await find('jose'), ['Ligar para JOSEFINA sobre o pedido 4712', 'Olá, José!']);
  assert.deepEqual(await find(' OLA  jósé '), ['Olá, José!']);
  assert.deepEqual(await find('4711'), ['O pedido #4711-A chegou?']);
  assert.deepEqual(await find('pedi 47'), ['Ligar para JOSEFINA sobre o pedido 4712', 'O pedido #4711-A chegou?']);
  for (const search of ['fina', 'jose nobody', '!!', `'":*|&\\`]) assert.deepEqual(await find(search), [], search);
});

test('the messages of a contact and of a conversation are listed with a file only, or without one, and not those of all', async () => {
  const { conversation: own } = await writeAsContact(platform, { from: makePhoneNumber(), text: 'Look at this' });
  const { _id: attachment } = await uploadFile(platform, { data: makePng(), fileType: 'IMAGE' });
  const message = { attachment, content: 'the picture' };
  await call(201, 'POST', `${PATH}/send-image`, { body: { conversationId: own._id, message } });
  const contents = async (query: Record<string, string>): Promise<string[]> =>
    (await list(query)).result.map(({ content }: Json) => content);
  for (const asked of [{ contact: own.contact }, { conversation: own._id }] as Record<string, string>[]) {
    assert.deepEqual(await contents({ ...asked, has_file: 'true' }), ['the picture']);
    assert.deepEqual(await contents({ ...asked, has_file: 'false' }), ['Look at this']);
  }
  assert.deepEqual(await find('picture', { contact: own.contact, has_file: 'true' }), ['the picture']);
  assert.deepEqual(await find('look', { contact: own.contact, has_file: 'true' }), []);
  expectProblem(await call(400, 'GET', `${PATH}?has_file=true`), 'VALIDATION_FAILED', 'has_file');
});

test('a message is found by its new words after it was edited, and not by the former ones', async () => {
  const { _id } = await write(conversation._id, 'before');
  await database.sql(`update messages set content = 'after' where _id = $1`, [_id]);
  assert.deepEqual([await find('before'), await find('after')], [[], ['after']]);
});

test('the words of an erased message are gone', async () => {
  const company = await platform.createCompany();
  const asked = { key: company.key };
  const inbox = newId();
  await database.sql(`insert into inboxes (company_id, _id, name, channel) values ($1, $2, 'x', 'WEB_V2')`, [
    company._id,
    inbox,
  ]);
  const contact = (await call(201, 'POST', '/v1/contacts', { ...asked, body: { name: 'A' } })).body._id;
  const opened = await call(201, 'POST', '/v1/conversations', { ...asked, body: { inbox, contact } });
  const body = { conversationId: opened.body._id, message: { content: 'secret' } };
  await call(201, 'POST', `${PATH}/note`, { ...asked, body });
  assert.equal((await list({ search: 'secret' }, company.key)).meta.totalCount, 1);
  await call(200, 'DELETE', `/v1/contacts/${contact}`, asked);
  assert.equal((await list({ search: 'secret' }, company.key)).meta.totalCount, 0);
  assert.deepEqual(await database.sql('select from message_search where company_id = $1', [company._id]), []);
});

test('a search finds a word of any length and of any script', async () => {
  for (const word of ['x'.repeat(4_096), '日本語', '👍', 'مرحبا', 'ß'.repeat(200)]) {
    await write(conversation._id, word);
    assert.deepEqual(await find(word.slice(0, 200)), [word]);
  }
});

test("a message is found by the network's id with and without its inbox", async () => {
  const { external_id } = other.message;
  const { result } = await list({ inbox: demo.inbox, external_id });
  assert.deepEqual(
    result.map(({ _id }: Json) => _id),
    [other.message._id],
  );
  assert.deepEqual((await list({ inbox: demo.inbox, external_id: 'unknown' })).result, []);
  assert.deepEqual((await list({ external_id })).result, result);
});

test('the messages of a company can be filtered by conversation, contact and inbox, and searched within these', async () => {
  const contents = async (query: Record<string, string>): Promise<string[]> =>
    (await list(query)).result.map(({ content }: Json) => content);
  assert.deepEqual(await contents({ conversation: other.conversation._id }), ['O pedido #4711-A chegou?']);
  assert.deepEqual(await contents({ contact: other.conversation.contact }), ['O pedido #4711-A chegou?']);
  assert.deepEqual(await find('pedido', { conversation: conversation._id }), [
    'Ligar para JOSEFINA sobre o pedido 4712',
  ]);
  assert.deepEqual(await find('pedido', { contact: other.conversation.contact, inbox: demo.inbox }), [
    'O pedido #4711-A chegou?',
  ]);
  assert.equal((await find('pedido', { inbox: demo.inbox })).length, 2);
  const all = await list({ sort: 'createdAt' });
  assert.equal((await list({ inbox: demo.inbox })).meta.totalCount, all.meta.totalCount);
  assert.deepEqual((await call(200, 'GET', `${PATH}/${all.result[0]._id}`)).body, all.result[0]);
});

test('pages of messages by cursor show each message once and in order, near the beginning of the list and far from it', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const company = await platform.createCompany();
  const inboxes = [newId(), newId()];
  for (const inbox of inboxes) {
    await database.sql(`insert into inboxes (company_id, _id, name, channel) values ($1, $2, 'x', 'WEB_V2')`, [
      company._id,
      inbox,
    ]);
  }
  const { _id: contact } = (await call(201, 'POST', '/v1/contacts', { key: company.key, body: { name: 'A' } })).body;
  const threads: Json[] = [];
  for (const inbox of inboxes) {
    const opened = await call(201, 'POST', '/v1/conversations', { key: company.key, body: { inbox, contact } });
    threads.push(opened.body);
  }
  // Every 3,000th message has the rare word, so that a page of these is found by the index.
  const rows = Array.from({ length: 9_000 }, (_, index) => ({
    _id: newId(),
    content: ['frequent', random() < 0.5 ? 'Often' : 'seldom', index % 3_000 === 7 ? 'rare' : ''].join(' '),
    at: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 3) * 1_000).toISOString(),
    changed: new Date(Date.UTC(2026, 1, 1) + Math.floor(random() * 3_000) * 1_000).toISOString(),
    thread: random() < 0.9 ? 0 : 1,
  }));
  // The statistics know the companies from before only: of a company whose messages have just been stored PostgreSQL expects a single row.
  const refreshStatistics = () => database.sql('analyze messages, message_search, conversations');
  await refreshStatistics();
  await database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin,
        content_type, content, status, created_at, updated_at)
      select $1, r._id, v._id, v.contact_id, v.inbox_id, 'WEB_V2', 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', r.content, 'RECEIVED', r.at, r.changed
      from jsonb_to_recordset($2) as r (_id text, content text, at timestamptz, changed timestamptz, thread int)
        join conversations v on v.company_id = $1 and v._id = ($3::text[])[r.thread + 1]`,
    [company._id, JSON.stringify(rows), threads.map(({ _id }) => _id)],
  );
  assert.ok((await list({ search: 'often', conversation: threads[1]._id }, company.key)).result.length > 0);
  // The platform does this every few seconds.
  await refreshStatistics();
  const middle = rows.map(({ changed }) => changed).toSorted()[4_500] ?? '';
  const since = { updated_since: middle };
  const changes = { sort: '-updatedAt' };
  for (const [query, matches] of [
    [{ search: 'rare' }, (row) => row.content.includes('rare')],
    [{ search: 'frequent rare', inbox: threads[0].inbox }, (row) => row.content.includes('rare') && row.thread === 0],
    [{ search: 'often', conversation: threads[1]._id }, (row) => row.content.includes('Often') && row.thread === 1],
    [{ search: 'seld', inbox: threads[1].inbox }, (row) => row.content.includes('seldom') && row.thread === 1],
    [{ inbox: threads[1].inbox }, (row) => row.thread === 1],
    [changes, () => true],
    [{ ...changes, ...since }, (row) => row.changed >= middle],
    [since, (row) => row.changed >= middle],
    [{ ...since, inbox: threads[1].inbox }, (row) => row.changed >= middle && row.thread === 1],
    [{ ...changes, inbox: threads[1].inbox }, (row) => row.thread === 1],
    [{ ...changes, ...since, conversation: threads[1]._id }, (row) => row.changed >= middle && row.thread === 1],
    [{ ...changes, search: 'rare' }, (row) => row.content.includes('rare')],
    [{ ...changes, ...since, search: 'often' }, (row) => row.changed >= middle && row.content.includes('Often')],
  ] as [Record<string, string>, (row: (typeof rows)[number]) => boolean][]) {
    const place = query['sort'] ? ('changed' as const) : ('at' as const);
    const ordered = rows.toSorted((a, b) => (`${a[place]}${a._id}` < `${b[place]}${b._id}` ? 1 : -1));
    const expected = ordered.filter(matches).map(({ _id }) => _id);
    assert.ok(expected.length > 0);
    const seen: string[] = [];
    for (let after = ''; ;) {
      const asked = { ...query, limit: '100', ...(after ? { after, skipCount: 'true' } : {}) };
      const { result, meta } = await list(asked, company.key);
      if (!after) assert.equal(meta.totalCount, expected.length, JSON.stringify(query));
      seen.push(...result.map(({ _id }: Json) => _id));
      if (meta.nextCursor === null) break;
      after = meta.nextCursor;
    }
    assert.deepEqual(seen, expected, JSON.stringify(query));
  }
});

test('messages that are in no part of the search move into one in the background, and are found', async () => {
  const { _id } = await write(conversation._id, 'movable');
  await database.sql(
    `insert into message_parts (company_id, starts_at, moved, is_filling) select company_id, created_at + interval '1 millisecond', 1, true
      from messages where _id = $1`,
    [_id],
  );
  // A part is filled a minute after its start.
  await database.sql(`update message_search set created_at = created_at - interval '2 minutes'`);
  await database.sql(`update messages set created_at = created_at - interval '2 minutes'`);
  await database.sql(`update message_parts set starts_at = starts_at - interval '2 minutes'`);
  await waitUntil('the message to move', async () => {
    const rows = await database.sql('select from message_search where _id = $1 and part is not null', [_id]);
    return rows.length > 0;
  });
  assert.deepEqual(await find('movable'), ['movable']);
});

test('a search finds no message of another company, and a filter that names its records is answered like one with unknown ids', async () => {
  const stranger = await platform.createCompany();
  assert.deepEqual((await list({ search: 'jose' }, stranger.key)).result, []);
  for (const name of ['conversation', 'contact', 'inbox']) {
    const id = { conversation: conversation._id, contact: conversation.contact, inbox: demo.inbox }[name] ?? '';
    for (const value of [id, newId()]) {
      const answer = await call(400, 'GET', `${PATH}?${name}=${value}`, { key: stranger.key });
      expectProblem(answer, 'UNKNOWN_REFERENCE', name);
    }
  }
});

test('the list of all messages refuses callers without a token or the scope, and malformed requests', () =>
  checkRefusals(platform, { method: 'GET', path: PATH, scope: 'messages:read' }));
