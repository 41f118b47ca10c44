/** The client against a real platform: its methods, lists, files, errors and Idempotency-Keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameMethods } from '../../scripts/sdk-methods.ts';
import { METHODS } from '../../sdk/methods.ts';
import { createClient, isParleyError, type AnyParleyError } from '../../sdk/src/index.ts';
import { newId } from '../../src/platform/values/ids.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const { demo, globalKey, url } = platform;
const parley = createClient({ url, token: demo.key });

/** Runs a call that must fail, and returns its error. */
async function catchError(call: Promise<unknown>): Promise<AnyParleyError> {
  const outcome = await call.then(
    (value) => assert.fail(`the call succeeded with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  assert.ok(isParleyError(outcome), String(outcome));
  return outcome;
}

test('the client has one method for each operation of the API, which sends the request of this operation', async () => {
  const document: Json = (await platform.call(200, 'GET', '/openapi.json', { key: null })).body;
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const sent: string[] = [];
  const fetch = async ({ method, url: address, headers }: Request): Promise<Response> => {
    sent.push(`${method} ${new URL(address).pathname.replaceAll(/ID-(\w+)/g, '{$1}')}`);
    if (headers.get('accept') === 'text/event-stream') return new Response('data: 1\n\n');
    return Response.json({ result: [], meta: { nextCursor: null } });
  };
  const recording = createClient({ url, token: 'token', fetch }) as unknown as Record<string, Record<string, unknown>>;
  for (const [group, methods] of Object.entries(nameMethods(document, METHODS))) {
    for (const [method, operation] of Object.entries(methods)) {
      const call = recording[group]?.[method] as (...given: unknown[]) => AsyncIterable<unknown> | Promise<unknown>;
      const parameters = [...operation.matchAll(/\{(\w+)\}/g)].map(([, name]) => `ID-${name}`);
      const answer = call(...parameters, {}, {});
      if (answer instanceof Promise) await answer;
      else for await (const _event of answer) break;
    }
  }
  assert.deepEqual(sent.toSorted(), operations.toSorted());
  const made = Object.values(parley).flatMap((group) => Object.keys(group as object));
  assert.equal(made.length, operations.length);
});

test('a record is created, read, changed, listed and deleted by the methods of its group', async () => {
  const made = await parley.contacts.create({ name: 'Ana & Bia', phone_number: '+5511955550001', tags: ['a'] });
  assert.deepEqual([made.name, made.phone_number, made.tags], ['Ana & Bia', '+5511955550001', ['a']]);
  assert.deepEqual(await parley.contacts.get(made._id), made);
  const changed = await parley.contacts.update(made._id, { email: 'ana@example.com', name: undefined });
  assert.deepEqual([changed.name, changed.email], ['Ana & Bia', 'ana@example.com']);
  const page = await parley.contacts.list({ search: 'ana & b', limit: 5 });
  assert.deepEqual([page.result, page.meta.totalCount, page.meta.limit], [[changed], 1, 5]);
  assert.equal((await parley.contacts.delete(made._id))._id, made._id);
  assert.equal((await parley.contacts.list({ search: 'ana & b' })).meta.totalCount, 0);
});

test('all iterates over each record of a list once, from page to page, and ends where the caller leaves the loop', async () => {
  const names = Array.from({ length: 105 }, (_, index) => `Counted ${index}`);
  await Promise.all(names.map((name) => parley.businesses.create({ name })));
  const seen: string[] = [];
  for await (const { name } of parley.businesses.list.all({ search: 'Counted' })) seen.push(name);
  assert.deepEqual(seen.toSorted(), names.toSorted());
  const oldest: string[] = [];
  for await (const { name } of parley.businesses.list.all({ search: 'Counted', sort: 'createdAt', limit: 7 })) {
    oldest.push(name);
    if (oldest.length === 10) break;
  }
  assert.deepEqual(oldest, seen.toReversed().slice(0, 10));
});

test('a list below another record iterates behind the parameters of its path', async () => {
  const { conversation } = await writeAsContact(platform);
  for (const content of ['one', 'two'])
    await parley.messages.writeNote({ conversationId: conversation._id, message: { content } });
  const contents: (string | null)[] = [];
  for await (const { content } of parley.messages.listInConversation.all(conversation._id, { limit: 1 }))
    contents.push(content);
  assert.deepEqual(contents.slice(-2), ['one', 'two']);
});

test('files are sent as forms, with values of every type, and come back as answers whose body can be streamed', async () => {
  const sheet = new File(['Nome,Telefone,Cidade\nRui,+55 11 95555-0002,Santos\n,,\nEva,12,Rio\n'], 'people.csv');
  const run = await parley.contacts.import({
    file: sheet,
    mapping: { Nome: 'name', Telefone: 'phone_number' },
    silent: true,
  });
  assert.equal(run.file_name, 'people.csv');
  const state = await waitUntil('the import', async () => {
    const current = await parley.contacts.getImport(run._id);
    return current.status === 'COMPLETED' && current;
  });
  assert.deepEqual([state.created_count, state.failed_count], [1, 1]);
  assert.match(await (await parley.contacts.getImportErrors(run._id)).text(), /3,phone_number,/);
  const exported = await parley.contacts.export({ search: 'Rui' });
  assert.match(exported.headers.get('content-type') ?? '', /^text\/csv/);
  assert.match(await exported.text(), /Rui,,\+?5511955550002/);
  const attachment = await parley.attachments.upload({
    file: new File(['Carrot cake: 79.90\n'], 'menu.txt'),
    fileType: 'DOCUMENT',
  });
  assert.equal(attachment.meta.fileName, 'menu.txt');
});

test('an error is a union by its code, with the problem of the platform', async () => {
  const missing = await catchError(parley.contacts.get(newId()));
  assert.deepEqual([missing.code, missing.status, missing.attempts], ['NOT_FOUND', 404, 1]);
  const contact = await parley.contacts.create({ name: 'Taken', phone_number: '+5511955550003' });
  const taken = await catchError(parley.contacts.create({ name: 'Taken', phone_number: '+5511955550003' }));
  switch (taken.code) {
    case 'CONTACT_EXISTS':
      // The literal status and the problem are only there because the code has narrowed the error.
      assert.equal(taken.status satisfies 409, 409);
      assert.equal(taken.problem.existing_id, contact._id);
      break;
    default:
      assert.fail(taken.code);
  }
  const wrong = await catchError(parley.contacts.create({ name: '' }));
  assert.equal(wrong.problem?.errors[0]?.path, 'name');
  assert.match(wrong.message, /^VALIDATION_FAILED: name /);
});

test('a global key acts for the company of the client or of one call', async () => {
  const other = await platform.createCompany('Other');
  const operator = createClient({ url: `${url}/`, token: () => Promise.resolve(globalKey), company: demo._id });
  assert.equal((await operator.auth.me()).company, demo._id);
  assert.equal((await operator.auth.me({ company: other._id })).company, other._id);
});

test('two calls with the same Idempotency-Key create one record, and two calls without one create two', async () => {
  const key = `crm-${newId()}`;
  const first = await parley.businesses.create({ name: 'Once' }, { idempotencyKey: key });
  const second = await parley.businesses.create({ name: 'Once' }, { idempotencyKey: key });
  assert.equal(second._id, first._id);
  const third = await parley.businesses.create({ name: 'Once' });
  assert.notEqual(third._id, first._id);
  assert.equal(
    (await catchError(parley.businesses.create({ name: 'Twice' }, { idempotencyKey: key }))).code,
    'IDEMPOTENCY_KEY_REUSED',
  );
});

test('a call whose Idempotency-Key belongs to a request that still runs waits for it and returns its record', async () => {
  const { conversation } = await writeAsContact(platform);
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ kind: 'slow', ms: 1_500, times: 1 }] } });
  const body = { conversationId: conversation._id, message: { content: 'Slow', contentType: 'TEXT' as const } };
  const options = { idempotencyKey: newId() };
  const [first, second] = await Promise.all([
    parley.messages.sendText(body, options),
    parley.messages.sendText(body, options),
  ]);
  assert.equal(second._id, first._id);
  assert.ok(first.status !== 'QUEUED' && second.status !== 'QUEUED');
});

test('what changes in the company arrives as a union by its event, and a stream goes on behind the id of an event', async () => {
  for await (const { event } of parley.live.follow()) if (event === 'ready') break;
  // Test files share a database server. While a transaction of another file is open that began before, a stream that goes on is reset.
  await waitUntil('older transactions to end', async () => {
    const settled = 'select from live_companies where since_xid < pg_snapshot_xmin(pg_current_snapshot())';
    return (await platform.database.sql(settled)).length > 0;
  });
  const seen: string[] = [];
  let place = '';
  for await (const change of parley.live.follow()) {
    if (change.event === 'ready') {
      place = change.id ?? '';
      await parley.contacts.create({ name: 'Arrives live' });
    }
    if (change.event === 'contact') seen.push(change.data.name ?? '');
    if (seen.includes('Arrives live')) break;
  }
  assert.notEqual(place, '');
  for await (const change of parley.live.follow({ lastEventId: place })) {
    if (change.event === 'contact' && change.data.name === 'Arrives live') break;
    assert.notEqual(change.event, 'ready', 'the change was not sent again');
  }
});

test('a client is not made with an address that is none', () => {
  assert.throws(() => createClient({ url: 'chat.example.com' }), /url is not an address: chat.example.com/);
});
