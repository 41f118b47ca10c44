import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLive } from '../../../../test/support/live.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../../test/support/refusals.ts';
import { newId } from '../../../platform/values/ids.ts';
import { MAX_NOTES } from './schemas.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const operator = await platform.createUser(demo._id, 'OPERATOR');
const viewer = await platform.createUser(demo._id, 'VIEWER');

const createContact = async (given: Json = {}, key = demo.key): Promise<string> =>
  (await call(201, 'POST', '/v1/contacts', { key, body: { name: 'Maria', ...given } })).body._id;
const pathOf = (contact: string): string => `/v1/contacts/${contact}/notes`;
const write = async (contact: string, content: string, key = demo.key): Promise<Json> =>
  (await call(201, 'POST', pathOf(contact), { key, body: { content } })).body;
const list = async (contact: string, query = ''): Promise<Json> =>
  (await call(200, 'GET', `${pathOf(contact)}${query}`)).body;
const listTexts = async (contact: string): Promise<string[]> =>
  (await list(contact)).result.map(({ content }: Json) => content);

test('a note is written once with an Idempotency-Key, names its author, is changed and deleted, and the audit knows it', async () => {
  const contact = await createContact();
  const asked = {
    key: operator.token,
    body: { content: 'Allergic to peanuts' },
    headers: { 'idempotency-key': 'n-1' },
  };
  const { body: note } = await call(201, 'POST', pathOf(contact), asked);
  const { name } = (await call(200, 'GET', '/v1/auth/me', { key: operator.token })).body.user;
  assert.deepEqual(note.author, { type: 'USER', _id: operator._id, name });
  assert.deepEqual([note.contact, note.content], [contact, 'Allergic to peanuts']);
  assert.deepEqual((await call(201, 'POST', pathOf(contact), asked)).body, note);
  const path = `${pathOf(contact)}/${note._id}`;
  assert.deepEqual((await call(200, 'GET', path, { key: viewer.token })).body, note);
  const changed = (await call(200, 'PATCH', path, { body: { content: 'Allergic to nuts' } })).body;
  assert.deepEqual(changed, { ...note, content: 'Allergic to nuts', updatedAt: changed.updatedAt });
  assert.deepEqual((await call(200, 'PATCH', path, { body: { content: 'Allergic to nuts' } })).body, changed);
  assert.deepEqual((await call(200, 'DELETE', path)).body, changed);
  expectProblem(await call(404, 'GET', path), 'NOT_FOUND');
  const audit = (await call(200, 'GET', `/v1/audit?resource=${note._id}`)).body.result;
  assert.deepEqual(audit.map(({ action }: Json) => action).toSorted(), [
    'contacts.create-note',
    'contacts.delete-note',
    'contacts.update-note',
    'contacts.update-note',
  ]);
});

test('the notes about a contact are listed newest first in pages, without those about others', async () => {
  const [contact, other] = [await createContact(), await createContact()];
  await write(other, 'other');
  for (const content of ['first', 'second', 'third']) await write(contact, content);
  const page = await list(contact, '?limit=2');
  assert.deepEqual(
    page.result.map(({ content }: Json) => content),
    ['third', 'second'],
  );
  assert.equal(page.meta.totalCount, 3);
  const next = await list(contact, `?limit=2&after=${page.meta.nextCursor}`);
  assert.deepEqual(
    next.result.map(({ content }: Json) => content),
    ['first'],
  );
});

test('the notes about both contacts are notes about the contact that remains after a merge', async () => {
  const [contact, other] = [await createContact(), await createContact()];
  const kept = await write(contact, 'of the first');
  const moved = await write(other, 'of the second');
  await call(201, 'POST', `/v1/contacts/${contact}/merge`, { body: { contact: other } });
  assert.deepEqual(await listTexts(contact), [moved.content, kept.content]);
  assert.deepEqual((await call(200, 'GET', `${pathOf(contact)}/${moved._id}`)).body.author, moved.author);
});

test('an erased contact leaves no note', async () => {
  const contact = await createContact();
  const { _id } = await write(contact, 'secret');
  await call(200, 'DELETE', `/v1/contacts/${contact}`);
  assert.deepEqual(await database.sql('select from contact_notes where _id = $1', [_id]), []);
});

test('a live stream brings a note that is written, changed and deleted', async () => {
  const contact = await createContact();
  const stream = await openLive(platform, { key: operator.token });
  const note = await write(contact, 'one');
  assert.deepEqual(await stream.waitFor('contact_note', ({ _id }) => _id === note._id), note);
  const path = `${pathOf(contact)}/${note._id}`;
  const changed = (await call(200, 'PATCH', path, { body: { content: 'two' } })).body;
  assert.deepEqual(await stream.waitFor('contact_note', ({ content }) => content === 'two'), changed);
  await call(200, 'DELETE', path);
  const removed = await stream.waitFor('removed', ({ _id }) => _id === note._id);
  assert.equal(removed.event, 'contact_note');
  await stream.close();
});

test(`a contact has at most ${MAX_NOTES} notes`, async () => {
  const contact = await createContact();
  await database.sql(
    `insert into contact_notes (company_id, _id, contact_id, content, author_type, author_id, author_name)
      select $1, 'f' || lpad(to_hex(n), 23, '0'), $2, 'x', 'KEY', $2, 'x' from generate_series(1, $3) n`,
    [demo._id, contact, MAX_NOTES],
  );
  const answer = await call(400, 'POST', pathOf(contact), { body: { content: 'x' } });
  assert.equal(answer.body.errors[0].code, 'LIMIT_REACHED');
});

test('a note without a text, about an unknown contact, of another contact or of another company is refused', async () => {
  const [contact, other] = [await createContact(), await createContact()];
  for (const content of ['', ' ', 'x'.repeat(10_001)])
    expectProblem(await call(400, 'POST', pathOf(contact), { body: { content } }), 'VALIDATION_FAILED', 'content');
  const { _id } = await write(contact, 'x'.repeat(10_000));
  const { key } = await platform.createCompany();
  for (const [path, asked] of [
    [`${pathOf(other)}/${_id}`, {}],
    [`${pathOf(contact)}/${newId()}`, {}],
    [`${pathOf(contact)}/${_id}`, { key }],
  ] as const) {
    expectProblem(await call(404, 'GET', path, asked), 'NOT_FOUND');
    expectProblem(await call(404, 'PATCH', path, { ...asked, body: { content: 'y' } }), 'NOT_FOUND');
    expectProblem(await call(404, 'DELETE', path, asked), 'NOT_FOUND');
  }
  for (const [path, asked] of [
    [pathOf(newId()), {}],
    [pathOf(contact), { key }],
  ] as const) {
    expectProblem(await call(404, 'GET', path, asked), 'NOT_FOUND');
    expectProblem(await call(404, 'POST', path, { ...asked, body: { content: 'y' } }), 'NOT_FOUND');
  }
});

test('operators write notes and viewers only read them, and callers without a token or the scope are refused', async () => {
  const contact = await createContact();
  const { _id } = await write(contact, 'x', operator.token);
  const asked = { key: viewer.token };
  await call(200, 'GET', pathOf(contact), asked);
  const refused = { ...asked, body: { content: 'y' } };
  expectProblem(await call(403, 'POST', pathOf(contact), refused), 'FORBIDDEN', 'authorization');
  expectProblem(await call(403, 'PATCH', `${pathOf(contact)}/${_id}`, refused), 'FORBIDDEN', 'authorization');
  expectProblem(await call(403, 'DELETE', `${pathOf(contact)}/${_id}`, asked), 'FORBIDDEN', 'authorization');
  await checkRefusals(platform, { method: 'GET', path: pathOf(contact), scope: 'contacts:read' });
  await checkRefusals(platform, {
    method: 'POST',
    path: pathOf(contact),
    scope: 'contacts:update',
    body: { content: 'x' },
  });
});
