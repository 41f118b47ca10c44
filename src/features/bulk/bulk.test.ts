/** Bulk calls: who is sent to, who is reported and why, and what is stored. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber, waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { lockRows } from '../../../test/support/rows.ts';
import { makeWorkbook, postForm, type FormParts } from '../../../test/support/sheets.ts';
import { reportStatuses } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
const PATH = '/v1/messages/send-bulk-template';
await waitUntilCopied(platform, demo.inbox);

/** The parts of a call that sends the plain template hello_world. */
const plain = { inboxId: demo.inbox, templateName: 'hello_world', languageCode: 'pt_BR' };
const order = { inboxId: demo.inbox, templateName: 'order_update', languageCode: 'pt_BR' };
const people = (...phones: string[]): string => JSON.stringify(phones.map((phone) => ({ name: 'Ana', phone })));
const sheet = (...lines: string[]): { name: string; data: string } => ({ name: 'a.csv', data: lines.join('\n') });
const send = (parts: FormParts, status = 201, headers: Record<string, string> = {}): Promise<Answer> =>
  postForm(platform, [status, PATH], parts, { headers });
const codes = (result: Json): [number, number | string][] =>
  result.errors.map(({ row, code }: Json) => [row, code] as const);
const sentTo = async (phone: string): Promise<Json[]> => {
  const { messages } = await platform.sandbox('GET', '/sandbox/messages');
  return messages.filter(({ to }: Json) => to === phone.replace('+', ''));
};

test('a bulk call sends the template once to each contact and answers with the conversations', async () => {
  const [first, second] = [makePhoneNumber(), makePhoneNumber()];
  const { body } = await send({ ...plain, contacts: people(first, second) });
  assert.deepEqual([body.totalProcessed, body.sentCount, body.errorCount, body.status], [2, 2, 0, 'COMPLETED']);
  assert.deepEqual(
    body.sentContacts.map(({ phoneNumber }: Json) => phoneNumber.replace('+', '')),
    [first, second].map((phone) => phone.replace('+', '')),
  );
  const [{ conversationId, message }] = body.sentContacts;
  const { body: stored } = await call(200, 'GET', `/v1/messages/${message}`);
  assert.deepEqual(
    [stored.conversation, stored.origin, stored.contentType, stored.sender_type, stored.template.name],
    [conversationId, 'BULK', 'TEMPLATE', 'AGENT', 'hello_world'],
  );
  assert.equal((await sentTo(first)).length, 1);
  const delivered = await platform.deliveries(
    ({ body: { event, data } }) => event === 'MESSAGE_SENT' && data._id === message,
  );
  assert.equal(delivered.length, 1);
  const created = await platform.deliveries(
    ({ body: { event, data } }) => event === 'CONVERSATION_CREATED' && data._id === conversationId,
  );
  assert.equal(created.length, 1);
});

test('a bulk run goes on when another transaction holds its number longer than a statement waits for rows', async () => {
  await send({ ...plain, contacts: people(makePhoneNumber()) });
  const letGo = await lockRows(platform, 'send_paces', [demo._id], 'company_id');
  const sending = send({ ...plain, contacts: people(makePhoneNumber()) });
  const tries = new Set<string>();
  await waitUntil('the second try to wait for the number', async () => {
    const waiting = await database.sql<{ began: string }>(
      `select xact_start::text as began from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%reserve_slots%'`,
    );
    for (const { began } of waiting) tries.add(began);
    return tries.size >= 2;
  });
  await letGo();
  const { body } = await sending;
  assert.deepEqual([body.status, body.sentCount], ['COMPLETED', 1]);
});

test('a contact without a usable number or name, or who cannot be reached, is reported with row and reason, and the others get the template', async () => {
  const good = makePhoneNumber();
  const [blocked, optedOut, busy] = [makePhoneNumber(), makePhoneNumber(), makePhoneNumber()];
  await call(201, 'POST', '/v1/contacts', { body: { phone_number: blocked, blocked: true } });
  await call(201, 'POST', '/v1/contacts', { body: { phone_number: optedOut, opted_out: true } });
  await call(201, 'POST', '/v1/conversations', { body: { inbox: demo.inbox, phone_number: busy } });
  const contacts = [
    ...['123', good, blocked, optedOut, busy, `+${good}`, good.replace(/^55119/, '5511')].map((phone) => ({ phone })),
    { name: 'Sem telefone' },
    { name: 'Vazio', phone: '' },
    { name: null, phone: null },
    { phone: '9'.repeat(300) },
    { name: 'x'.repeat(201), phone: makePhoneNumber() },
  ];
  const { body } = await send({ ...plain, contacts: JSON.stringify(contacts), components: '[]' });
  assert.deepEqual(codes(body), [
    [1, 'INVALID_NUMBER'],
    [3, 'BLOCKED'],
    [4, 'OPTED_OUT'],
    [5, 'ACTIVE_CONVERSATION'],
    [6, 'DUPLICATE'],
    [7, 'DUPLICATE'],
    ...[8, 9, 10, 11].map((row) => [row, 'INVALID_NUMBER']),
    [12, 'INVALID_NAME'],
  ]);
  assert.deepEqual([body.totalProcessed, body.sentCount, body.errorCount], [12, 1, 11]);
  assert.match(body.errors[0].error, /^INVALID_NUMBER: The phone number is not/);
  assert.match(body.errors[6].error, /The phone number is missing/);
  assert.equal((await sentTo(good)).length, 1);
  for (const phone of [blocked, optedOut, busy]) assert.deepEqual(await sentTo(phone), []);
});

test('with send_to_active_conversations the template goes into the open conversation, which keeps or changes its owner as asked', async () => {
  const phone = makePhoneNumber();
  const [anna, bruno] = [
    await platform.createUser(demo._id, 'OPERATOR'),
    await platform.createUser(demo._id, 'OPERATOR'),
  ];
  const { body: open } = await call(201, 'POST', '/v1/conversations', {
    body: { inbox: demo.inbox, phone_number: phone, owner: anna._id },
  });
  const active = { ...plain, contacts: people(phone), send_to_active_conversations: 'true' };
  const read = async (): Promise<Json> => (await call(200, 'GET', `/v1/conversations/${open._id}`)).body;
  const { body: kept } = await send({ ...active, keep_existing_assignment: 'true' });
  assert.equal(kept.sentContacts[0].conversationId, open._id);
  assert.equal((await read()).owner, anna._id);
  await send({ ...active, owner_user_id: bruno._id, attendant_user_id: anna._id });
  const after = await read();
  assert.deepEqual([after.owner, after.attendant], [bruno._id, anna._id]);
  const updates = await platform.deliveries(
    ({ body: { event, data } }) => event === 'CONVERSATION_UPDATED' && data._id === open._id,
  );
  assert.equal(updates.length, 1);
});

test('a new conversation gets the agent, owner and attendant of the call', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const [agent] = await database.sql<{ _id: string }>(
    `insert into agents (company_id, _id, name) values ($1, 'a00000000000000000000001', 'Bot') returning _id`,
    [demo._id],
  );
  const { body } = await send({
    ...plain,
    contacts: people(makePhoneNumber()),
    agentToActivate: agent?._id ?? '',
    owner_user_id: user._id,
    attendant_user_id: user._id,
  });
  const { body: conversation } = await call(200, 'GET', `/v1/conversations/${body.sentContacts[0].conversationId}`);
  assert.deepEqual(
    [conversation.agent, conversation.handled_by, conversation.owner, conversation.attendant],
    [agent?._id, 'AI', user._id, user._id],
  );
});

test('digits without + in a file are numbers of the country, and without a country they fail; in JSON they are read with a country code', async () => {
  const national = makePhoneNumber().slice(2);
  const file = { name: 'a.csv', data: `name,phone\nRui,${national}\nBia,+${makePhoneNumber()}\n` };
  const dryRun = 'true';
  const country = (value: string | null) =>
    call(200, 'PATCH', `/v1/companies/${demo._id}`, { body: { general_config: { country: value } } });
  await country(null);
  const refused = (await send({ ...plain, file, dryRun }, 200)).body;
  assert.deepEqual(codes(refused), [[1, 'INVALID_NUMBER']]);
  assert.match(refused.errors[0].error, /has no country code: choose the country/);
  assert.deepEqual(codes((await send({ ...plain, file, country: 'BR', dryRun }, 200)).body), []);
  const contacts = people(makePhoneNumber());
  assert.deepEqual(codes((await send({ ...plain, contacts, dryRun }, 200)).body), []);
  await country('BR');
  assert.deepEqual(codes((await send({ ...plain, file, dryRun }, 200)).body), []);
});

test('template parameters are filled from the sheet, the contact and its custom fields, and a contact without a value is an error of its row', async () => {
  const phones = [makePhoneNumber(), makePhoneNumber(), makePhoneNumber()];
  await call(201, 'POST', '/v1/custom-fields', {
    body: { title: 'Pedido', slug: 'pedido', context: 'contact', type: 'TEXT' },
  });
  await call(201, 'POST', '/v1/contacts', {
    body: { name: 'Carla Dias', phone_number: phones[0], custom_fields: { pedido: 'P-1' } },
  });
  const parameters = [{ variable_ref: 'contact.first_name' }, { variable_ref: 'column.Pedido' }];
  const components = JSON.stringify([{ type: 'body', parameters }]);
  const data = makeWorkbook([
    ['Nome', 'Telefone', 'Pedido'],
    ['Outra', Number(phones[0]), 'A1'],
    ['Bia Lima', phones[1] ?? '', 'B2'],
    ['Caio', phones[2] ?? '', null],
  ]);
  const { body } = await send({ ...order, components, file: { name: 'a.xlsx', data } });
  assert.deepEqual(codes(body), [[3, 'MISSING_VARIABLE']]);
  const texts = await Promise.all(
    body.sentContacts.map(
      async ({ message }: Json) => (await call(200, 'GET', `/v1/messages/${message}`)).body.content,
    ),
  );
  assert.match(texts[0], /Carla!.*\*A1\*/);
  assert.match(texts[1], /Bia!.*\*B2\*/);
  const fields = JSON.stringify({ parameters: [{ text: 'x' }, { variable_ref: 'custom_fields.pedido' }] });
  const { body: second } = await send({
    ...order,
    components: fields,
    contacts: people(phones[0] ?? '', phones[1] ?? ''),
    send_to_active_conversations: 'true',
  });
  assert.deepEqual(codes(second), [[2, 'MISSING_VARIABLE']]);
});

test('an invalid bulk call is refused with the faulty field named, and nothing is sent or stored', async () => {
  const runs = async (): Promise<number> => (await call(200, 'GET', '/v1/messages/bulk')).body.meta.totalCount;
  const before = await runs();
  const contacts = people(makePhoneNumber());
  const refused = async (parts: FormParts, path: string, code = 'VALIDATION_FAILED'): Promise<void> =>
    expectProblem(await send(parts, 400), code, path);
  await refused(plain, 'contacts');
  await refused({ ...plain, contacts, file: sheet('phone', makePhoneNumber()) }, 'file');
  await refused({ ...plain, file: sheet('Telefone,Celular', `${makePhoneNumber()},${makePhoneNumber()}`) }, 'file');
  await refused({ ...plain, file: sheet('name,city', 'Ana,Natal') }, 'file');
  await refused({ ...plain, contacts: '[]' }, 'contacts');
  await refused({ ...plain, contacts: '[{"phone":12}]' }, 'contacts[0].phone');
  await refused({ ...plain, contacts, templateName: 'nothing' }, 'templateName');
  await refused({ ...plain, contacts, languageCode: 'fr' }, 'languageCode');
  await refused({ ...order, contacts }, 'components');
  await refused({ ...order, contacts, components: '{"parameters":[{"text":"a"}]}' }, 'components[0].parameters');
  await refused({ ...plain, contacts, inboxId: demo._id }, 'inboxId', 'UNKNOWN_REFERENCE');
  await refused({ ...plain, contacts, agentToActivate: demo._id }, 'agentToActivate', 'UNKNOWN_REFERENCE');
  await refused({ ...plain, contacts, owner_user_id: demo._id }, 'owner_user_id', 'UNKNOWN_REFERENCE');
  const many = Array.from({ length: 2_001 }, makePhoneNumber);
  const { body } = await send({ ...plain, contacts: people(...many) }, 413);
  assert.match(body.detail, /campaign/);
  await send({ ...plain, file: sheet('phone', ...many) }, 413);
  assert.equal(await runs(), before);
});

test('a dry run answers with what the bulk call would do, and sends and stores nothing', async () => {
  const phone = makePhoneNumber();
  const { body } = await send({ ...plain, contacts: people(phone, '12'), dryRun: 'true' }, 200);
  assert.deepEqual([body._id, body.dryRun, body.sentCount, body.errorCount], [null, true, 1, 1]);
  assert.deepEqual(codes(body), [[2, 'INVALID_NUMBER']]);
  assert.deepEqual(await sentTo(phone), []);
  const { body: found } = await call(200, 'GET', `/v1/contacts?search=${phone.slice(2)}`);
  assert.deepEqual(found.result, []);
});

test("a message that the network refuses is an error of its row with the network's code, one that it rate-limits is retried after a pause, and one that it holds back shows that", async () => {
  const [limited, bad] = [makePhoneNumber(), makePhoneNumber()];
  const held = 'held_for_quality_assessment';
  const faults = [
    { code: 131009, times: 1, to: bad },
    { code: 130429, times: 1, to: limited },
  ];
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: faults }, template_message_status: held });
  const { body } = await send({ ...plain, contacts: people(bad, limited) });
  await platform.sandbox('PUT', '/sandbox/settings', { template_message_status: 'accepted' });
  assert.deepEqual(codes(body), [[1, 131009]]);
  assert.deepEqual([body.sentCount, body.sentContacts[0].networkStatus], [1, held]);
  assert.equal((await sentTo(limited)).length, 1);
  const { body: failed } = await call(200, 'GET', `/v1/messages/${body.errors[0].message}`);
  assert.deepEqual([failed.status, failed.errors[0].code], ['FAILED', 131009]);
});

test('a message that waits to be sent again fails when its contact has opted out meanwhile', async () => {
  const phone = makePhoneNumber();
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 130429, times: 1 }] } });
  const sending = send({ ...plain, contacts: people(phone) });
  const row = `select contact_id, message_id from bulk_rows where ltrim(phone, '+') = ltrim($1, '+') and status = 'READY'`;
  await waitUntil('the message to wait', async () => (await database.sql(row, [phone])).length > 0);
  const [{ contact_id, message_id }] = (await database.sql(row, [phone])) as [Json];
  await call(200, 'PATCH', `/v1/contacts/${contact_id}`, { body: { opted_out: true } });
  assert.deepEqual(codes((await sending).body), [[1, 'OPTED_OUT']]);
  const { body: message } = await call(200, 'GET', `/v1/messages/${message_id}`);
  assert.deepEqual([message.status, message.errors[0].code], ['FAILED', 'OPTED_OUT']);
  assert.equal((await sentTo(phone)).length, 0);
});

test('a message that a status settles during its call is not sent again, even when the network then refuses it for the moment', async () => {
  const phone = makePhoneNumber();
  const parts = { ...plain, contacts: people(phone), send_to_active_conversations: 'true' };
  await send(parts);
  const [first] = await sentTo(phone);
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 130429, times: 1, to: first?.to }] } });
  // The network takes the next message to this person some seconds later.
  const sending = send(parts);
  const row = `select message_id from bulk_rows where ltrim(phone, '+') = $1 and status = 'CALLING'`;
  await waitUntil('the call to wait', async () => (await database.sql(row, [first?.to])).length > 0);
  const [{ message_id }] = (await database.sql(row, [first?.to])) as [Json];
  await reportStatuses(platform, { id: `wamid.${message_id}`, status: 'sent', biz_opaque_callback_data: message_id });
  const { body } = await sending;
  assert.deepEqual([body.sentCount, body.errorCount, (await sentTo(phone)).length], [1, 0, 1]);
});

test('a bulk run ends when the network pauses its template, and the remaining contacts are reported', async () => {
  const phones = Array.from({ length: 30 }, makePhoneNumber);
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 132015, times: null }] } });
  const { body } = await send({ ...plain, contacts: people(...phones) });
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [] } });
  assert.deepEqual([body.status, body.totalProcessed, body.sentCount], ['COMPLETED', 30, 0]);
  assert.deepEqual([...new Set(codes(body).map(([, code]) => code))], [132015]);
  const queued = await database.sql(`select 1 from messages where status = 'QUEUED' and origin = 'BULK'`);
  assert.deepEqual(queued, []);
});

test('a bulk call repeated with its Idempotency-Key gets the same result and sends nothing, not even a message whose outcome is unknown; a different call with the key is refused', async () => {
  const [lost, good] = [makePhoneNumber(), makePhoneNumber()];
  const faults = { send: [{ kind: 'reset_after_accept', times: 1, to: lost }] };
  await platform.sandbox('PUT', '/sandbox/settings', { faults });
  const headers = { 'idempotency-key': lost };
  const parts = { ...plain, contacts: people(lost, good) };
  const { body } = await send(parts, 201, headers);
  assert.deepEqual(codes(body), [[1, 'OUTCOME_UNKNOWN']]);
  const again = await send(parts, 201, headers);
  assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [body, 'true']);
  expectProblem(await send({ ...plain, contacts: people(makePhoneNumber()) }, 422, headers), 'IDEMPOTENCY_KEY_REUSED');
  for (const phone of [lost, good]) assert.equal((await sentTo(phone)).length, 1);
});

test('a bulk run can be read and listed by its company while it runs, and by no other company', async () => {
  const { body: run } = await send({ ...plain, contacts: people(makePhoneNumber(), '1') });
  assert.deepEqual((await call(200, 'GET', `/v1/messages/bulk/${run._id}`)).body, run);
  const { body: list } = await call(200, 'GET', `/v1/messages/bulk?inbox=${demo.inbox}&limit=1`);
  const { errors: _errors, sentContacts: _sent, dryRun: _dry, ...summary } = run;
  assert.deepEqual(list.result, [summary]);
  const other = await platform.createCompany();
  expectProblem(await call(404, 'GET', `/v1/messages/bulk/${run._id}`, { key: other.key }), 'NOT_FOUND');
  assert.deepEqual((await call(200, 'GET', '/v1/messages/bulk', { key: other.key })).body.result, []);
  const parts = { ...plain, contacts: people(makePhoneNumber()) };
  const foreign = await postForm(platform, [400, PATH], parts, { key: other.key });
  expectProblem(foreign, 'UNKNOWN_REFERENCE', 'inboxId');
});

test('a bulk run still shows a contact that was merged into another one; the erasure of a contact removes its row, and the totals of the run stay', async () => {
  const { body: run } = await send({ ...plain, contacts: people(makePhoneNumber()) });
  const { body: conversation } = await call(200, 'GET', `/v1/conversations/${run.sentContacts[0].conversationId}`);
  const { body: other } = await call(201, 'POST', '/v1/contacts', { body: { name: 'Ana' } });
  await call(201, 'POST', `/v1/contacts/${other._id}/merge`, { body: { contact: conversation.contact } });
  const read = async (): Promise<Json> => (await call(200, 'GET', `/v1/messages/bulk/${run._id}`)).body;
  assert.deepEqual(await read(), run);
  await call(200, 'DELETE', `/v1/contacts/${other._id}`);
  const after = await read();
  assert.deepEqual([after.sentCount, after.sentContacts], [1, []]);
});

test('contacts beyond the daily limit of the business are reported with DAILY_LIMIT, also by a dry run, and a message that the network refuses does not count', async () => {
  const limit = (most: number): Promise<unknown> => database.sql('update portfolios set people_limit = $1', [most]);
  const [{ reached } = { reached: 0 }] = await database.sql<{ reached: number }>(
    'select coalesce(sum(people), 0)::int as reached from portfolio_minutes',
  );
  const phones = Array.from({ length: 4 }, makePhoneNumber);
  await limit(reached + 2);
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 131009, times: 1, to: phones[0] }] } });
  const { body: foreseen } = await send({ ...plain, contacts: people(...phones), dryRun: 'true' }, 200);
  assert.deepEqual(codes(foreseen), [
    [3, 'DAILY_LIMIT'],
    [4, 'DAILY_LIMIT'],
  ]);
  const { body } = await send({ ...plain, contacts: people(...phones) });
  assert.deepEqual(codes(body), [
    [1, 131009],
    [3, 'DAILY_LIMIT'],
    [4, 'DAILY_LIMIT'],
  ]);
  // Who was reached within the day takes no second place, and the refused contact's place is free again.
  const active = { send_to_active_conversations: 'true' };
  const again = { ...plain, ...active, contacts: people(phones[1] ?? '', ...phones.slice(2)) };
  assert.deepEqual(codes((await send({ ...again, dryRun: 'true' }, 200)).body), [[3, 'DAILY_LIMIT']]);
  assert.deepEqual(codes((await send(again)).body), [[3, 'DAILY_LIMIT']]);
  await limit(-1);
  const { body: third } = await send({ ...plain, contacts: people(phones[3] ?? '') });
  assert.equal(third.sentCount, 1);
});

test('a bulk call without a token or the scope, or with a malformed request, is refused', () =>
  checkRefusals(platform, { method: 'GET', path: '/v1/messages/bulk', scope: 'messages:read' }));
