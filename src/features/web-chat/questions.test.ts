/** The answers to the questions of a web chat: whom they are asked of, and how they reach the company. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { makePng } from '../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { openSite, prove, visit, type TestVisitor } from '../../../test/support/web-chat.ts';

const platform = await startPlatform();
const { call, database } = platform;
await call(201, 'POST', '/v1/custom-fields', {
  body: { title: 'Plan', slug: 'plan', context: 'contact', type: 'SELECT', options: ['free', 'gold', 'silver'] },
});
const site = await openSite(platform, {
  questions: [
    { kind: 'NAME', required: false },
    { kind: 'CUSTOM_FIELD', slug: 'plan', required: true },
  ],
});
const PICTURE = makePng(30, 20);

/** What the company has of the visitor's chat: its messages, and the name and the plan of the contact. */
async function readCompanySide(
  visitor: TestVisitor,
): Promise<{ contents: string[]; name: string | null; plan: string }> {
  const { result } = await visitor.list();
  const { body: message } = await call(200, 'GET', `/v1/messages/${result[0]._id}`);
  const { body: contact } = await call(200, 'GET', `/v1/contacts/${message.contact}`);
  return {
    contents: result.map(({ content }: Json) => content),
    name: contact.name,
    plan: contact.custom_fields.find(({ slug }: Json) => slug === 'plan')?.value,
  };
}

test('the answers of a person whom the site has proven arrive with their first text, and later texts bring them no second time', async () => {
  const visitor = await visit(platform, site, { identity: await prove({ sub: 'crm-1' }) });
  await visitor.write('first', { answers: { NAME: 'Ana', plan: 'gold' } });
  await visitor.write('second', { answers: { NAME: 'Ana', plan: 'silver' } });
  const contents = ['Name: Ana\nPlan: gold', 'first', 'second'];
  assert.deepEqual(await readCompanySide(visitor), { contents, name: 'Ana', plan: 'gold' });
  const unasked = await visit(platform, site, { identity: await prove({ sub: 'crm-2' }) });
  await unasked.write('without the required answer');
});

test('FIELD_UPDATED of an answer names the conversation that began with it', async () => {
  const visitor = await visit(platform, site);
  await visitor.write('Hello', { answers: { plan: 'silver' } });
  const { body: message } = await call(200, 'GET', `/v1/messages/${(await visitor.list()).result[0]._id}`);
  const [delivered] = await platform.deliveries(
    ({ body }) => body.event === 'FIELD_UPDATED' && body.data.contactId === message.contact,
  );
  assert.equal(delivered?.body.data.conversationId, message.conversation);
});

test('answers that were given anonymously are not stored again once the site proves the person', async () => {
  const anonymous = await visit(platform, site);
  await anonymous.write('first', { answers: { plan: 'gold' } });
  const { token } = anonymous.session;
  const known = await visit(platform, site, { identity: await prove({ sub: 'crm-3', name: 'Bea' }), token });
  await known.write('second', { answers: { plan: 'gold' } });
  const contents = ['Plan: gold', 'first', 'second'];
  assert.deepEqual(await readCompanySide(known), { contents, name: 'Bea', plan: 'gold' });
});

test('a file that comes first brings the answers, and the text after it is taken with them and without', async () => {
  const visitor = await visit(platform, site);
  const parts = (answers: Json) => ({ client_id: randomUUID(), content: 'look', answers: JSON.stringify(answers) });
  const refused = await visitor.sendFile(400, parts({ NAME: 'Eva' }), PICTURE);
  assert.equal(refused.errors[0].path, 'answers.plan');
  await visitor.sendFile(201, parts({ NAME: 'Eva', plan: 'gold' }), PICTURE);
  await visitor.write('with', { answers: { NAME: 'Eva', plan: 'gold' } });
  await visitor.write('without');
  const contents = ['Name: Eva\nPlan: gold', 'look', 'with', 'without'];
  assert.deepEqual(await readCompanySide(visitor), { contents, name: 'Eva', plan: 'gold' });
});

test('a chat that began before there were questions goes on without answers, and takes them once', async () => {
  const growing = await openSite(platform);
  const visitor = await visit(platform, growing);
  await visitor.write('before');
  const questions = [{ kind: 'CUSTOM_FIELD', slug: 'plan', required: true }];
  await call(200, 'PUT', `/v1/inboxes/${growing}`, { body: { web_config: { questions } } });
  await waitUntil('the question', async () => {
    const { body } = await call(200, 'GET', `/web/v1/inboxes/${growing}`, { key: '' });
    return body.questions.length > 0;
  });
  await visitor.write('without');
  for (const text of ['with', 'again']) await visitor.write(text, { answers: { plan: 'gold' } });
  const contents = ['before', 'without', 'Plan: gold', 'with', 'again'];
  assert.deepEqual(await readCompanySide(visitor), { contents, name: null, plan: 'gold' });
});

test('a repetition stores the answers that a failure has kept from the contact', async () => {
  const visitor = await visit(platform, site);
  await database.sql(`create function refuse_fields() returns trigger language plpgsql as $$
    begin if new.custom_fields <> old.custom_fields then raise exception 'refused'; end if; return new; end $$`);
  await database.sql(
    'create trigger refuse_fields before update on contacts for each row execute function refuse_fields()',
  );
  const body = { client_id: randomUUID(), content: 'Hello', answers: { plan: 'gold' } };
  await visitor.call(500, 'POST', '/messages', { body });
  await database.sql('drop trigger refuse_fields on contacts');
  for (let time = 0; time < 2; time += 1) await visitor.call(200, 'POST', '/messages', { body });
  const contents = ['Plan: gold', 'Hello'];
  assert.deepEqual(await readCompanySide(visitor), { contents, name: null, plan: 'gold' });
});

test('a text is taken also when the contact has no room for its answers, which the form shows', async () => {
  const slugs = ['one', 'two', 'three', 'four', 'about'];
  for (const slug of slugs)
    await call(201, 'POST', '/v1/custom-fields', { body: { title: slug, slug, context: 'contact', type: 'TEXT' } });
  const full = Object.fromEntries(slugs.slice(0, 4).map((slug) => [slug, '長'.repeat(4_000)]));
  const { body: contact } = await call(201, 'POST', '/v1/contacts', {
    body: { name: 'Full', external_id: 'crm-4', custom_fields: full },
  });
  const curious = await openSite(platform, {
    questions: [{ kind: 'CUSTOM_FIELD', slug: 'about', required: true }],
  });
  const visitor = await visit(platform, curious, { identity: await prove({ sub: 'crm-4' }) });
  const about = 'x'.repeat(2_000);
  await visitor.write('Hello', { answers: { about } });
  assert.deepEqual((await readCompanySide(visitor)).contents, [`about: ${about}`, 'Hello']);
  const { body: after } = await call(200, 'GET', `/v1/contacts/${contact._id}`);
  assert.equal(after.custom_fields.length, 4);
});
