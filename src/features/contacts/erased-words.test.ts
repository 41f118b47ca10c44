/** After a contact is erased, no table holds the person's words any more, and the rows of the logs that held them stay. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createAnswerGate,
  createListeningCompany,
  waitForFinishedDeliveries,
  startReceiver,
} from '../../../test/support/deliveries.ts';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  openNetwork,
  secondsAgo,
  makeMessageId,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { lockRows } from '../../../test/support/rows.ts';
import { silenceNetwork } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

// With one slot per company, the second delivery of a company waits for the first.
const platform = await startPlatform({ env: { DELIVERY_SLOTS_PER_COMPANY: '1' } });
// The network sends no statuses by itself, so that the tables do not change between the comparisons.
await silenceNetwork(platform);
const { call, database, demo } = platform;
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

// The person's name, messages and fields contain this word, and nothing else does.
const WORD = 'kanarienvogel';
const DIGITS = '5511955512345';

/**
 * Returns the names of the tables that contain the text in any column, also in binary columns. Reports go on counting the tags of
 * conversations, which are words of the company.
 */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await database.sql<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'pgboss')
        and c.relname not in ('report_counters', 'report_facts') order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await database.sql(
      `select 1 from ${name} t where strpos(t::text, $1) > 0 or strpos(t::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0 limit 1`,
      [text],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

const post = (...messages: Json[]): Promise<unknown> => network.post(200, buildMessageNotification(phone, ...messages));

async function createContactWithWord(): Promise<string> {
  const fields = await Promise.all(
    ['contact', 'conversation'].map(async (context) => {
      const body = { title: `Note of a ${context}`, type: 'TEXT', context };
      return (await call(201, 'POST', '/v1/custom-fields', { body })).body;
    }),
  );
  const [ofContact, ofConversation] = fields.map(({ _id }: Json) => ({ [_id]: `${WORD} field` }));
  const from = DIGITS;
  const id = makeMessageId();
  await post({ from, id, timestamp: secondsAgo(60), type: 'text', text: { body: `${WORD} text` } });
  await post({
    from,
    id: makeMessageId(),
    type: 'location',
    location: { latitude: 1, longitude: 2, name: `${WORD} place` },
  });
  await post({ from, id: makeMessageId(), type: 'contacts', contacts: [{ name: { formatted_name: `${WORD} card` } }] });
  await post({
    from,
    id: makeMessageId(),
    type: 'document',
    document: { id: '7', filename: `${WORD}.pdf`, caption: `${WORD} caption` },
  });
  await post({
    from,
    id: makeMessageId(),
    type: 'edit',
    edit: { original_message_id: id, message: { type: 'text', text: { body: `${WORD} edit` } } },
  });
  // The next callbacks are an edit of a message that the platform never receives, and a message that it cannot read.
  await post({
    from,
    id: makeMessageId(),
    type: 'edit',
    edit: { original_message_id: makeMessageId(), message: { type: 'text', text: { body: `${WORD} late` } } },
  });
  await post({
    from,
    id: makeMessageId(),
    type: 'edit',
    edit: { message: { type: 'text', text: { body: `${WORD} odd` } } },
  });
  const [row] = await database.sql<{ contact_id: string; conversation_id: string }>(
    'select contact_id, conversation_id from messages where external_id = $1',
    [id],
  );
  const { contact_id: contact = '', conversation_id: conversation = '' } = row ?? {};
  await database.sql('update contacts set username = $2 where _id = $1', [contact, `${WORD}.sa`]);
  await call(200, 'PATCH', `/v1/contacts/${contact}`, {
    body: {
      name: `${WORD} name`,
      email: `${WORD}@example.com`,
      professional_network_identifier: `${WORD}-pni`,
      external_id: `${WORD}-id`,
      avatar_url: `https://example.com/${WORD}.png`,
      language: 'pt-BR',
      tags: [`${WORD} tag`],
      custom_fields: ofContact,
    },
  });
  await call(200, 'PATCH', `/v1/conversations/${conversation}`, {
    body: { tags: [`${WORD} thread`], custom_fields: ofConversation },
  });
  await call(201, 'POST', '/v1/messages/send-text', {
    body: { conversationId: conversation, message: { content: `Dear ${WORD}` } },
  });
  // The test creates another contact with the word and merges it into this one.
  const other = (await call(201, 'POST', '/v1/contacts', { body: { name: `${WORD} double` } })).body._id;
  await call(201, 'POST', `/v1/contacts/${contact}/merge`, { body: { contact: other } });
  return contact;
}

const logged = (): Promise<Json[]> =>
  database.sql(`select _id, event, resource_id, queued_at, replay_of from deliveries order by seq`);

test('the name and the texts of an erased contact are in no column of any table, and every row of the logs stays', async () => {
  const neighbour = (await call(201, 'POST', '/v1/contacts', { body: { name: 'Neighbour' } })).body;
  const contact = await createContactWithWord();
  await waitUntil('everything to be delivered', async () => {
    const rows = await database.sql(`select 1 from deliveries where status in ('QUEUED', 'SENDING')`);
    return rows.length === 0;
  });
  // Some receivers answer with the body of the request, so the log holds it twice.
  await database.sql('update deliveries set response_body = body where resource_id <> $1', [neighbour._id]);
  const held = await tablesWith(WORD);
  for (const table of ['callbacks_aside', 'contacts', 'conversations', 'deliveries', 'messages', 'parked_updates'])
    assert.ok(held.includes(`public.${table}`), `nothing was planted in ${table}`);
  const [deliveries, trail] = [await logged(), await database.sql('select * from audit_log order by _id')];

  await call(200, 'DELETE', `/v1/contacts/${contact}`);
  for (const text of [WORD, DIGITS])
    await waitUntil(`${text} to be gone`, async () => (await tablesWith(text)).length === 0);
  assert.deepEqual(await logged(), deliveries);
  const after = await database.sql<Json>('select * from audit_log order by _id');
  assert.deepEqual(after.slice(0, trail.length), trail);
  assert.deepEqual(
    after.slice(trail.length).map(({ action }) => action),
    ['contacts.delete'],
  );
  const [kept] = await database.sql<{ body: string }>('select body from deliveries where resource_id = $1', [
    neighbour._id,
  ]);
  assert.equal(JSON.parse(kept?.body ?? '{}').data.name, 'Neighbour');
});

test('an erasure keeps an unreadable callback whose inbox is unknown, or belongs to another company, until its retention ends', async () => {
  const number = makePhoneNumber();
  const other = await connectPhone(platform, { company: await platform.createCompany() });
  const odd = {
    from: number,
    id: makeMessageId(),
    type: 'edit',
    edit: { message: { type: 'text', text: { body: 'odd' } } },
  };
  await network.post(200, `{"from":"${number}","text":"cut of`);
  for (const each of [phone, other]) await network.post(200, buildMessageNotification(each, odd));
  const addresses = async () =>
    (
      await database.sql<{ address: string | null }>(
        `select address from callbacks_aside where position(convert_to($1, 'UTF8') in raw) > 0`,
        [number],
      )
    )
      .map(({ address }) => String(address))
      .toSorted();
  assert.deepEqual(await addresses(), [phone.id, other.id, 'null'].toSorted());
  const body = { name: 'A stranger', phone_number: `+${number}` };
  const { _id } = (await call(201, 'POST', '/v1/contacts', { body })).body;
  await call(200, 'DELETE', `/v1/contacts/${_id}`);
  assert.deepEqual(await addresses(), [other.id, 'null'].toSorted());
});

test('a contact that is given a number while it is erased is erased with that number', async () => {
  const { _id } = (await call(201, 'POST', '/v1/contacts', { body: { name: 'Renamed' } })).body;
  const number = makePhoneNumber();
  const letGo = await lockRows(platform, 'contacts', [_id]);
  const erased = fetch(`${platform.url}/v1/contacts/${_id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${demo.key}` },
  });
  await waitUntil('the erasure to wait for the contact', async () => {
    const waiting = await database.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  });
  await database.sql(
    `insert into contact_identities (company_id, kind, value, address, contact_id) values ($1, 'PHONE', $2, $2, $3)`,
    [demo._id, number, _id],
  );
  await letGo();
  assert.equal((await erased).status, 200);
  assert.deepEqual(await database.sql('select 1 from contact_identities where value = $1', [number]), []);
});

test('a delivery whose words were erased is shown without them and cannot be replayed', async () => {
  const { _id } = (await call(201, 'POST', '/v1/contacts', { body: { name: 'Gone soon' } })).body;
  await platform.deliveries(({ body }) => body.data._id === _id);
  const find = async (): Promise<Json> =>
    (await call(200, 'GET', '/v1/webhooks/deliveries?limit=100')).body.result.find(
      (item: Json) => item.resource_id === _id,
    );
  const before = await waitUntil('its outcome', async () => {
    const found = await find();
    return found.status === 'DELIVERED' ? found : null;
  });
  await call(200, 'DELETE', `/v1/contacts/${_id}`);
  const shown = await waitUntil('its words to be gone', async () => {
    const found = await find();
    return found.body.redacted ? found : null;
  });
  const { timestamp } = before.body;
  assert.deepEqual(shown, {
    ...before,
    response_body: null,
    body: { event: 'CONTACT_CREATED', timestamp, data: { _id }, redacted: true },
  });
  const refused = await call(409, 'POST', `/v1/webhooks/deliveries/${shown._id}/replay`);
  assert.equal(refused.body.code, 'DELIVERY_ERASED');
});

test('a delivery that is still queued when its contact is erased is not sent', async () => {
  const gate = createAnswerGate();
  const receiver = await startReceiver(async (response) => {
    await gate.opened;
    response.writeHead(204).end();
  });
  const company = await createListeningCompany(platform, receiver.url);
  const create = async (name: string): Promise<string> =>
    (await call(201, 'POST', '/v1/contacts', { key: company.key, body: { name } })).body._id;
  const first = await create('First');
  await waitUntil('the first to arrive', () => receiver.received.length === 1);
  const waiting = await create('Waits');
  await call(200, 'DELETE', `/v1/contacts/${waiting}`, { key: company.key });
  await call(200, 'DELETE', `/v1/contacts/${first}`, { key: company.key });
  await waitUntil('both to be redacted', async () => {
    const rows = await database.sql('select 1 from deliveries where company_id = $1 and redacted_at is null', [
      company._id,
    ]);
    return rows.length === 0;
  });
  gate.open();
  const log = await waitForFinishedDeliveries(platform, company, 2);
  assert.deepEqual(
    log.map(({ resource_id, status, error }) => [resource_id, status, error]),
    [
      [waiting, 'FAILED', 'ERASED'],
      [first, 'DELIVERED', null],
    ],
  );
  assert.equal(receiver.received.length, 1);
});

test('the log of deliveries of a large company is redacted in portions, without touching other contacts', async () => {
  const { _id } = (await call(201, 'POST', '/v1/contacts', { body: { name: 'In a crowd' } })).body;
  await database.sql(
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body, status, claimed_at, finished_at, queued_at)
      select $1, new_id(), new_id(), 1, 'CONTACT_UPDATED', case when n % 2 = 0 then $2 else new_id() end,
        json_build_object('event', 'CONTACT_UPDATED', 'timestamp', now(), 'data', json_build_object('name', 'In a crowd')),
        'DELIVERED', now(), now(), now() - make_interval(secs => n)
      from generate_series(1, 2500) n`,
    [demo._id, _id],
  );
  await call(200, 'DELETE', `/v1/contacts/${_id}`);
  const left = () => database.sql('select 1 from deliveries where resource_id = $1 and redacted_at is null', [_id]);
  // The job is tried again after ten seconds if the database was busy.
  await waitUntil('all of them to be redacted', async () => (await left()).length === 0);
  const [others] = await database.sql<{ count: number }>(
    `select count(*)::int as count from deliveries where body like '%In a crowd%'`,
  );
  assert.equal(others?.count, 1_250);
});
