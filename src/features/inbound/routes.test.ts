import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  makeNetworkId,
  openNetwork,
  startSecondProcess,
  findStoredMessage,
  makeMessageId,
} from '../../../test/support/network.ts';
import { startPlatform } from '../../../test/support/platform.ts';

const platform = await startPlatform();
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

const handshake = (query: Record<string, string>): Promise<Response> =>
  fetch(`${platform.url}/hooks/wap?${new URLSearchParams(query).toString()}`);

/** Returns how many elements of callbacks the platform has counted with this outcome since it started. */
async function counted(outcome: string): Promise<number> {
  const text = await (await fetch(`${platform.url}/metrics`)).text();
  const line = `parley_inbound_elements_total{channel="WAP_AUTO_CLOSER",outcome="${outcome}"} `;
  return Number(
    text
      .split('\n')
      .find((item) => item.startsWith(line))
      ?.slice(line.length) ?? 0,
  );
}

const asides = (): Promise<{ address: string | null; reason: string; raw: Buffer }[]> =>
  platform.database.sql('select address, reason, raw from callbacks_aside order by created_at, _id');

test('the handshake answers the challenge as plain text to a caller that knows the verify token', async () => {
  const answer = await handshake({
    'hub.mode': 'subscribe',
    'hub.verify_token': network.verifyToken,
    'hub.challenge': '<b>1158201444</b>',
  });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
  assert.equal(await answer.text(), '<b>1158201444</b>');
  assert.deepEqual(await platform.sandbox('POST', '/sandbox/verify', {}), { verified: true });
});

test('the handshake answers 403 to a wrong token, a missing one and another mode', async () => {
  const right = { 'hub.mode': 'subscribe', 'hub.verify_token': network.verifyToken, 'hub.challenge': '1' };
  for (const change of [{ 'hub.verify_token': 'wrong' }, { 'hub.verify_token': '' }, { 'hub.mode': 'unsubscribe' }]) {
    const answer = await handshake({ ...right, ...change });
    assert.equal(answer.status, 403);
    assert.equal(((await answer.json()) as { code: string }).code, 'FORBIDDEN');
  }
  assert.equal((await handshake({ 'hub.mode': 'subscribe', 'hub.challenge': '1' })).status, 403);
});

test('a callback with a wrong, foreign, malformed or missing signature answers 401 and stores nothing', async () => {
  const id = makeMessageId();
  const body = JSON.stringify(buildMessageNotification(phone, { from: makePhoneNumber(), id }));
  const right = network.sign(body);
  const flipped = right.slice(0, -1) + (right.endsWith('0') ? '1' : '0');
  const refusedBefore = await counted('refused');
  const kept = (await asides()).length;
  const wrong = [flipped, right.slice(7), right.slice(0, -2), 'sha256=', 'sha1=abc', network.sign(`${body} `), ''];
  for (const signature of wrong) {
    const { body: problem } = await network.post(401, body, { headers: { 'x-hub-signature-256': signature } });
    assert.equal(problem.code, 'BAD_SIGNATURE');
  }
  await network.post(401, body, { headers: {} });
  await network.post(401, 'not JSON', { headers: { 'x-hub-signature-256': right } });
  assert.equal(await findStoredMessage(platform, phone, id), null);
  assert.equal((await asides()).length, kept);
  assert.equal(await counted('refused'), refusedBefore + wrong.length + 2);
  await network.post(200, body);
  assert.equal((await findStoredMessage(platform, phone, id)).external_id, id);
});

test('without an app secret every callback is refused and nothing is stored', async () => {
  const peer = await startSecondProcess(platform);
  const id = makeMessageId();
  const body = buildMessageNotification(phone, { from: makePhoneNumber(), id });
  await network.post(401, body, { url: peer.url ?? '' });
  await network.post(401, body, { url: peer.url ?? '', headers: { 'x-hub-signature-256': 'sha256=' } });
  assert.equal(await findStoredMessage(platform, phone, id), null);
  const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': '', 'hub.challenge': '1' });
  assert.equal((await fetch(`${peer.url}/hooks/wap?${query.toString()}`)).status, 403);
});

test('the signature covers the bytes as they came: a body with escaped characters and slashes is accepted', async () => {
  const id = makeMessageId();
  const said = 'Olá, João! ação/reação 😀 "aspas" \\u0041';
  const plain = JSON.stringify(
    buildMessageNotification(phone, { from: makePhoneNumber(), id, type: 'text', text: { body: said } }),
  );
  const escaped = plain
    .replaceAll('/', '\\/')
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  assert.notEqual(escaped, plain);
  await network.post(401, plain, { headers: { 'x-hub-signature-256': network.sign(escaped) } });
  await network.post(200, escaped);
  assert.equal((await findStoredMessage(platform, phone, id)).content, said);
});

test('a signed callback is read whatever its media type', async () => {
  for (const type of ['application/json; charset=utf-8', 'text/plain', 'application/octet-stream']) {
    const id = makeMessageId();
    const raw = JSON.stringify(buildMessageNotification(phone, { from: makePhoneNumber(), id }));
    await network.post(200, raw, { headers: { 'x-hub-signature-256': network.sign(raw), 'content-type': type } });
    assert.equal((await findStoredMessage(platform, phone, id))?.external_id, id, type);
  }
});

test('a callback just below 4 MB is stored; one above answers 413 and stores nothing', async () => {
  const padded = (id: string, bytes: number): string => {
    const text = JSON.stringify(buildMessageNotification(phone, { from: makePhoneNumber(), id }));
    return text + ' '.repeat(bytes - text.length);
  };
  const [fits, tooLarge] = [makeMessageId(), makeMessageId()];
  await network.post(200, padded(fits, 4 * 1024 * 1024));
  assert.equal((await findStoredMessage(platform, phone, fits)).external_id, fits);
  const { body } = await network.post(413, padded(tooLarge, 4 * 1024 * 1024 + 1));
  assert.equal(body.code, 'BODY_TOO_LARGE');
  assert.equal(await findStoredMessage(platform, phone, tooLarge), null);
});

test('a signed callback that is not JSON answers 200 and is kept aside, byte for byte', async () => {
  for (const raw of [Buffer.from('{"object": '), Buffer.from([0xff, 0xfe, 0x00, 0x80]), Buffer.alloc(0)]) {
    const before = await counted('aside');
    await network.post(200, raw);
    const kept = (await asides()).at(-1);
    assert.ok(kept);
    assert.equal(kept.raw.toString('hex'), raw.toString('hex'));
    assert.equal(kept.reason, 'SyntaxError');
    assert.equal(await counted('aside'), before + 1);
  }
});

test('a signed callback that cannot be read answers 200 and is kept aside', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const bodies = [null, 7, 'text', [], {}, { object: 'page', entry: [] }, { object: 'whatsapp_business_account' }];
  for (const body of [...bodies.map((item) => JSON.stringify(item)), deep, '{"entry":[null,{"changes":[{}]}]}']) {
    const before = (await asides()).length;
    await network.post(200, body);
    assert.ok((await asides()).length > before, body.slice(0, 60));
  }
});

test('a callback for an unknown inbox answers 200, and is dropped and counted', async () => {
  const before = await counted('dropped');
  const id = makeMessageId();
  const unknown = { id: makeNetworkId(), waba: makeNetworkId() };
  await network.post(
    200,
    buildMessageNotification(unknown, { from: makePhoneNumber(), id }, { from: makePhoneNumber() }),
  );
  assert.equal(await counted('dropped'), before + 2);
  assert.deepEqual(await platform.database.sql('select 1 from messages where external_id = $1', [id]), []);
});

test('a DELETED inbox receives no message, and receives again once it is ACTIVE', async () => {
  const own = await connectPhone(platform);
  const [lost, found] = [makeMessageId(), makeMessageId()];
  await platform.call(200, 'PUT', `/v1/inboxes/${own.inbox}`, { body: { status: 'DELETED' } });
  const before = await counted('dropped');
  await network.post(200, buildMessageNotification(own, { from: makePhoneNumber(), id: lost }));
  assert.equal(await counted('dropped'), before + 1);
  await platform.call(200, 'PUT', `/v1/inboxes/${own.inbox}`, { body: { status: 'ACTIVE' } });
  await network.post(200, buildMessageNotification(own, { from: makePhoneNumber(), id: found }));
  assert.equal(await findStoredMessage(platform, own, lost), null);
  assert.equal((await findStoredMessage(platform, own, found)).external_id, found);
});

test('after a number moves to another company, its messages reach that company and a contact of that company', async () => {
  const before = await connectPhone(platform);
  const person = makePhoneNumber();
  const [first, second, again] = [makeMessageId(), makeMessageId(), makeMessageId()];
  await network.post(200, buildMessageNotification(before, { from: person, id: first }));
  await platform.call(200, 'PUT', `/v1/inboxes/${before.inbox}`, { body: { status: 'DELETED' } });
  const company = await platform.createCompany();
  const now = await connectPhone(platform, { company, id: before.id, waba: before.waba });
  await network.post(200, buildMessageNotification(now, { from: person, id: second }));
  await network.post(200, buildMessageNotification(now, { from: person, id: first }, { from: person, id: again }));
  const messages = await platform.database.sql(
    'select company_id, external_id from messages where external_id = any($1) order by company_id, external_id',
    [[first, second, again]],
  );
  const of = (owner: string, ...ids: string[]) => ids.map((id) => ({ company_id: owner, external_id: id }));
  const expected = [...of(before.company, first), ...of(company._id, ...[first, second, again].toSorted())];
  assert.deepEqual(
    messages,
    expected.toSorted((a, b) => (a.company_id < b.company_id ? -1 : 1)),
  );
  const owners = await platform.database.sql(
    `select distinct m.company_id from messages m join contacts c on c.company_id = m.company_id and c._id = m.contact_id
      where m.external_id = any($1)`,
    [[first, second, again]],
  );
  assert.equal(owners.length, 2);
});

test('an inbox whose credentials the network has not accepted receives no message', async () => {
  const [id, waba, message] = [makeNetworkId(), makeNetworkId(), makeMessageId()];
  const config = { phone_number_id: id, waba_id: waba, business_id: '1', business_token: 'guessed' };
  const { body: inbox } = await platform.call(201, 'POST', '/v1/inboxes', {
    body: { channel: 'WAP_AUTO_CLOSER', name: 'Somebody else', number: '+551133334444', api_wap_config: config },
  });
  assert.notEqual(inbox.connection.status, 'CONNECTED');
  const before = await counted('dropped');
  await network.post(200, buildMessageNotification({ id, waba }, { from: makePhoneNumber(), id: message }));
  assert.equal(await counted('dropped'), before + 1);
  assert.deepEqual(await platform.database.sql('select 1 from messages where inbox_id = $1', [inbox._id]), []);
});
