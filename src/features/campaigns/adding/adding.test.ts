/** Contacts that are added to a campaign: by ids, by phone numbers and in sheets, before it begins and while it runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber, waitUntilCopied } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../../test/support/refusals.ts';
import { postForm } from '../../../../test/support/sheets.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
await waitUntilCopied(platform, demo.inbox);

const HELLO = { name: 'hello_world', language: 'pt_BR' };
const parameters = [{ variable_ref: 'name' }, { variable_ref: 'column.order' }];
const ORDER = { name: 'order_update', language: 'pt_BR', components: [{ parameters }] };

const create = async (template: Json = HELLO): Promise<Json> =>
  (await call(201, 'POST', '/v1/campaigns', { body: { name: 'Spring', inbox: demo.inbox, steps: [{ template }] } }))
    .body;
const addContact = async (body: Json = {}): Promise<Json> =>
  (await call(201, 'POST', '/v1/contacts', { body: { phone_number: makePhoneNumber(), ...body } })).body;
const act = (verb: string, { _id }: Json) => call(201, 'POST', `/v1/campaigns/${_id}/${verb}`);
const add = async ({ _id }: Json, contacts: Json[], headers: Record<string, string> = {}): Promise<Json> =>
  (await call(201, 'POST', `/v1/campaigns/${_id}/enrollments`, { body: { contacts }, headers })).body;
const addSheet = async ({ _id }: Json, data: string): Promise<Json> => {
  const parts = { file: { name: 'people.csv', data }, country: 'BR' };
  return (await postForm(platform, [201, `/v1/campaigns/${_id}/enrollments/sheet`], parts)).body;
};
const awaitEnd = ({ _id }: Json): Promise<Json> =>
  waitUntil('the campaign to complete', async () => {
    const { body } = await call(200, 'GET', `/v1/campaigns/${_id}`);
    return body.status === 'COMPLETED' ? body : null;
  });
const listEnrollments = async ({ _id }: Json): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/campaign-enrollments?campaign=${_id}&limit=100&sort=createdAt`)).body.result;
const contentOf = async ({ message }: Json): Promise<string> =>
  (await call(200, 'GET', `/v1/messages/${message}`)).body.content;

test('contacts are added by id and by phone number, each once, and one that cannot be added does not stop the others', async () => {
  const campaign = await create();
  const known = await addContact({ name: 'Known' });
  const phone = makePhoneNumber();
  const answer = await add(campaign, [
    { contact: known._id },
    { phone, name: 'Fresh' },
    { phone: known.phone_number },
    { phone: '12' },
    { phone },
  ]);
  assert.deepEqual([answer.total, answer.enrolled_count, answer.error_count], [5, 2, 3]);
  assert.deepEqual(
    answer.enrollments.map(({ row }: Json) => row),
    [1, 2],
  );
  assert.deepEqual(
    answer.errors.map(({ row, code }: Json) => [row, code]),
    [
      [3, 'DUPLICATE'],
      [4, 'INVALID_NUMBER'],
      [5, 'DUPLICATE'],
    ],
  );
  const { body: fresh } = await call(200, 'GET', `/v1/contacts/${answer.enrollments[1].contact}`);
  assert.deepEqual([fresh.name, fresh.phone_number, fresh.source], ['Fresh', `+${phone}`, 'CAMPAIGN']);
  const again = await add(campaign, [{ contact: known._id }]);
  assert.deepEqual([again.enrolled_count, again.errors[0].code], [0, 'ALREADY_ENROLLED']);
  await act('start', campaign);
  assert.equal((await awaitEnd(campaign)).totals.sent, 2);
});

test('only a caller that may read contacts adds them by their ids; phone numbers take no further scope', async () => {
  const path = `/v1/campaigns/${(await create())._id}/enrollments`;
  const { token: key } = await platform.createKey(demo._id, ['campaign-enrollments:create']);
  const contacts = [{ contact: (await addContact())._id }];
  const refused = await call(403, 'POST', path, { key, body: { contacts } });
  assert.equal(refused.body.detail, 'The scope contacts:read is missing');
  await call(201, 'POST', path, { key, body: { contacts: [{ phone: makePhoneNumber() }] } });
});

test('contacts that are added to a campaign while it runs, or after it has completed, get its message', async () => {
  const campaign = await create(ORDER);
  await act('start', campaign);
  await awaitEnd(campaign);
  const { _id } = await addContact({ name: 'Late' });
  await add(campaign, [{ contact: _id, parameters: { Order: '4821' } }]);
  assert.equal((await awaitEnd(campaign)).totals.sent, 1);
  const [enrollment] = await listEnrollments(campaign);
  assert.match(await contentOf(enrollment ?? {}), /Late.*4821/s);
});

test('the contacts of a sheet that was posted to a draft are in its preview, and get the values of their rows', async () => {
  const campaign = await create(ORDER);
  const [known, fresh, bare] = [makePhoneNumber(), makePhoneNumber(), makePhoneNumber()];
  await addContact({ phone_number: known, name: 'Old name' });
  const rows = [`${known},Rosa,A-1`, `${fresh},Davi,B-2`, `${bare},Caio,`, 'nobody,X,C-3'];
  const answer = await addSheet(campaign, `telefone,nome,Order\n${rows.join('\n')}\n`);
  assert.deepEqual(
    [answer.enrolled_count, answer.errors.map(({ row, code }: Json) => [row, code])],
    [3, [[4, 'INVALID_NUMBER']]],
  );
  const { body: preview } = await call(200, 'GET', `/v1/campaigns/${campaign._id}/preview`);
  assert.deepEqual(
    [preview.total, preview.sendable, preview.skipped],
    [3, 2, [{ reason: 'MISSING_VARIABLE', count: 1, message: null }]],
  );
  const shown = preview.messages.map(({ content }: Json) => content).join('\n');
  assert.match(shown, /Rosa.*A-1/);
  await act('start', campaign);
  await awaitEnd(campaign);
  const list = await listEnrollments(campaign);
  const sent = list.filter(({ message }) => message !== null);
  const contents = (await Promise.all(sent.map(contentOf))).join('\n');
  for (const pattern of [/Rosa.*A-1/, /Davi.*B-2/]) assert.match(contents, pattern);
  assert.deepEqual(
    list.filter(({ message }) => message === null).map(({ skip_reason }) => skip_reason),
    ['MISSING_VARIABLE'],
  );
});

test('a request to add contacts that broke off goes on when it is repeated with its Idempotency-Key, and answers as if it never had', async () => {
  const campaign = await create();
  const contacts = Array.from({ length: 300 }, () => ({ phone: makePhoneNumber() }));
  const headers = { 'idempotency-key': 'adding-1' };
  const answer = await add(campaign, contacts, headers);
  assert.equal(answer.enrolled_count, 300);
  assert.deepEqual(await add(campaign, contacts, headers), answer);
  const lost = answer.enrollments.slice(250).map(({ enrollment }: Json) => enrollment);
  await database.sql('delete from campaign_enrollments where _id = any($1)', [lost]);
  const repeated = await add(campaign, contacts, headers);
  assert.deepEqual([repeated.enrolled_count, repeated.error_count], [300, 0]);
  assert.equal((await add(campaign, contacts.slice(0, 2))).errors[1].code, 'ALREADY_ENROLLED');
});

test('a contact that was added to a campaign that never began is CANCELLED with it', async () => {
  const campaign = await create();
  const { _id } = await addContact();
  await add(campaign, [{ contact: _id }]);
  await act('cancel', campaign);
  await waitUntil(
    'the contact to be cancelled',
    async () => (await listEnrollments(campaign))[0]?.status === 'CANCELLED',
  );
  const body = { contacts: [{ contact: _id }] };
  expectProblem(await call(409, 'POST', `/v1/campaigns/${campaign._id}/enrollments`, { body }), 'CAMPAIGN_STATE');
});

test("another company's contact, a row that names no one, and another company's campaign are refused as a whole", async () => {
  const campaign = await create();
  const path = `/v1/campaigns/${campaign._id}/enrollments`;
  const other = await platform.createCompany();
  const { body: foreign } = await call(201, 'POST', '/v1/contacts', { key: other.key, body: { name: 'Foreign' } });
  const phone = makePhoneNumber();
  const tryAdding = (contact: Json) => call(400, 'POST', path, { body: { contacts: [{ phone }, contact] } });
  expectProblem(await tryAdding({ contact: foreign._id }), 'UNKNOWN_REFERENCE', 'contacts[1].contact');
  expectProblem(await tryAdding({ name: 'X' }), 'VALIDATION_FAILED', 'contacts[1].contact');
  expectProblem(await tryAdding({ contact: foreign._id, phone }), 'VALIDATION_FAILED', 'contacts[1].phone');
  const body = { contacts: [{ phone }] };
  expectProblem(await call(404, 'POST', path, { key: other.key, body }), 'NOT_FOUND');
  assert.deepEqual(await listEnrollments(campaign), []);
  await checkRefusals(platform, { method: 'POST', path, scope: 'campaign-enrollments:create', body });
});
