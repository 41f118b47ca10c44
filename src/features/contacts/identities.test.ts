/** A phone number, e-mail, network identifier or external id belongs to one contact, also when many requests write it at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { createRandom } from '../../../test/support/random.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { importSheet } from '../../../test/support/sheets.ts';
import { listEventNames, writeAsContact } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/contacts';

const create = async (body: Json): Promise<Json> => (await call(201, 'POST', PATH, { body })).body;
const patch = (status: number, id: string, body: Json) => call(status, 'PATCH', `${PATH}/${id}`, { body });

/** Sends a request and returns the answer, whatever its status is. */
async function ask(method: string, path: string, body: Json): Promise<{ status: number; body: Json }> {
  const response = await fetch(platform.url + path, {
    method,
    headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const listIdentities = (contact: string): Promise<{ kind: string; value: string }[]> =>
  database.sql('select kind, value from contact_identities where contact_id = $1 order by kind, value', [contact]);

const digits = makePhoneNumber();
const NAMES: [string, string, string[]][] = [
  [
    'phone_number',
    digits,
    [`+${digits}`, `55 0${digits.slice(2)}`, `+55 0${digits.slice(2)}`, `${digits.slice(0, 4)}${digits.slice(5)}`],
  ],
  ['email', 'Maria@Example.com', ['maria@example.com', 'MARIA@EXAMPLE.COM']],
  ['professional_network_identifier', 'maria-silva', ['maria-silva']],
  ['external_id', 'crm-1', ['crm-1']],
];

for (const [field, value, spellings] of NAMES) {
  test(`a ${field} belongs to one contact in every spelling: POST and PATCH of another answer 409 with the id of the holder`, async () => {
    const holder = await create({ [field]: value });
    const another = await create({ name: 'Another' });
    for (const spelling of [value, ...spellings]) {
      for (const refused of [
        await call(409, 'POST', PATH, { body: { [field]: spelling } }),
        await patch(409, another._id, { name: 'Changed', [field]: spelling }),
      ]) {
        expectProblem(refused, 'CONTACT_EXISTS', field);
        assert.equal(refused.body.existing_id, holder._id);
      }
    }
    assert.deepEqual((await call(200, 'GET', `${PATH}/${another._id}`)).body, another);
    assert.deepEqual(await listEventNames(platform, another._id), ['CONTACT_CREATED']);
    const other = await platform.createCompany();
    await call(201, 'POST', PATH, { key: other.key, body: { [field]: value } });
  });

  test(`a ${field} that was replaced, cleared or erased is free for another contact`, async () => {
    const fresh = (name: string): string =>
      field === 'phone_number' ? makePhoneNumber() : `${name}-${newId()}@example.com`;
    const [one, two, three] = [fresh('one'), fresh('two'), fresh('three')];
    const first = await create({ name: 'First', [field]: one });
    await patch(200, first._id, { [field]: two });
    const second = await create({ [field]: one });
    await patch(409, first._id, { [field]: one });
    await patch(200, first._id, { [field]: null });
    await patch(200, second._id, { [field]: two });
    await call(200, 'DELETE', `${PATH}/${second._id}`);
    await patch(200, first._id, { [field]: two });
    await create({ [field]: one });
    await create({ [field]: three });
  });
}

test('of 20 contacts created at the same moment with one number, in several spellings, exactly one exists', async () => {
  const phone = makePhoneNumber();
  const spellings = [phone, `+${phone}`, `00${phone}`, `${phone.slice(0, 4)}${phone.slice(5)}`];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => ask('POST', PATH, { phone_number: spellings[index % spellings.length] })),
  );
  const [made, ...more] = answers.filter(({ status }) => status === 201);
  assert.deepEqual(more, []);
  const refused = answers.filter(({ status }) => status === 409);
  assert.equal(refused.length, 19);
  for (const { body } of refused) assert.equal(body.existing_id, made?.body._id);
});

test('a contact that is created while its first message comes in is one contact, whichever is first', async () => {
  for (let round = 0; round < 10; round += 1) {
    const phone = makePhoneNumber();
    const [answer, received] = await Promise.all([
      ask('POST', PATH, { name: 'By hand', phone_number: phone }),
      writeAsContact(platform, { from: phone, name: 'By message' }),
    ]);
    const id = answer.status === 201 ? answer.body._id : answer.body.existing_id;
    assert.equal(received.contact._id, id, JSON.stringify(answer));
    assert.equal((await listEventNames(platform, id)).filter((name) => name === 'CONTACT_CREATED').length, 1);
  }
});

test('a contact that was created with its number is the sender of later messages, and gets the answers', async () => {
  const phone = makePhoneNumber();
  const made = await create({ name: 'Maria', phone_number: `${phone.slice(0, 4)}${phone.slice(5)}` });
  const { contact } = await writeAsContact(platform, { from: phone, name: 'Mari' });
  assert.equal(contact._id, made._id);
  assert.equal(contact.name, 'Maria');
});

test('the former number of a contact no longer identifies the contact, but its id at the network still does', async () => {
  const [old, next] = [makePhoneNumber(), makePhoneNumber()];
  const { contact } = await writeAsContact(platform, { from: old });
  await database.sql(
    `insert into contact_identities (company_id, kind, value, contact_id, address) values ($1, 'BSUID', 'BR.1', $2, 'BR.1')`,
    [demo._id, contact._id],
  );
  await patch(200, contact._id, { phone_number: next });
  assert.deepEqual(await listIdentities(contact._id), [
    { kind: 'BSUID', value: 'BR.1' },
    { kind: 'PHONE', value: next },
  ]);
  assert.equal((await writeAsContact(platform, { from: next })).contact._id, contact._id);
  assert.notEqual((await writeAsContact(platform, { from: old })).contact._id, contact._id);
  // A contact with an id of the network needs no name and no number.
  const cleared = (await patch(200, contact._id, { phone_number: null, name: null })).body;
  assert.deepEqual([cleared.phone_number, cleared.country_code], [null, null]);
  assert.deepEqual(await listIdentities(contact._id), [{ kind: 'BSUID', value: 'BR.1' }]);
});

const renamed = (from: string, to: string) => ({
  from,
  type: 'system',
  raw: { system: { type: 'user_changed_number', body: 'changed', wa_id: to } },
});

test('a PATCH, a bulk write or an import that replaces a number also frees the number that the contact had before at the network', async () => {
  const ways: ((mark: string, id: string, numbers: { third: string; old: string }) => Promise<unknown>)[] = [
    async (_mark, id, { third, old }) => {
      await patch(200, id, { phone_number: third });
      await create({ phone_number: old });
    },
    (external_id, _id, { third, old }) => {
      const contacts = [{ external_id, phone_number: third }, { phone_number: old }];
      return call(201, 'POST', `${PATH}/bulk`, { body: { contacts } });
    },
    (mark, _id, { third, old }) => {
      const data = `external_id,phone_number\n${mark},+${third}\n,+${old}`;
      return importSheet(platform, `${PATH}/import`, { file: { name: 'people.csv', data } }, { key: demo.key });
    },
  ];
  for (const replace of ways) {
    const [old, next, third] = [makePhoneNumber(), makePhoneNumber(), makePhoneNumber()];
    const mark = newId();
    const { contact } = await writeAsContact(platform, { from: old });
    await patch(200, contact._id, { external_id: mark });
    await writeAsContact(platform, renamed(old, next));
    await replace(mark, contact._id, { third, old });
    assert.deepEqual(await listIdentities(contact._id), [
      { kind: 'EXTERNAL', value: mark },
      { kind: 'PHONE', value: third },
    ]);
    // The next item of the same request has made another contact of it.
    const { body: other } = await call(409, 'POST', PATH, { body: { phone_number: old } });
    assert.notEqual(other.existing_id, contact._id);
  }
});

test('a contact that a PATCH gives its former number keeps it', async () => {
  const [old, next] = [makePhoneNumber(), makePhoneNumber()];
  const { contact } = await writeAsContact(platform, { from: old });
  await writeAsContact(platform, renamed(old, next));
  await patch(200, contact._id, { phone_number: old });
  assert.deepEqual(await listIdentities(contact._id), [{ kind: 'PHONE', value: old }]);
});

test('whatever identities contacts are given and give up at the same moment, each belongs to the one contact that shows it', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const pick = <T>(items: T[]): T => items[Math.floor(random() * items.length)] as T;
  const emails = Array.from({ length: 4 }, (_, index) => `pool-${index}@example.com`);
  const phones = Array.from({ length: 4 }, () => makePhoneNumber());
  const ids = await Promise.all(
    Array.from({ length: 5 }, async () => (await create({ name: 'Of the pool' }))._id as string),
  );
  const statuses = new Map<number, number>();
  for (let round = 0; round < 25; round += 1) {
    const asked = Array.from({ length: 8 }, () => ({
      id: pick(ids),
      body: {
        ...(random() < 0.7 ? { email: pick([...emails, null]) } : {}),
        ...(random() < 0.7 ? { phone_number: pick([...phones, null]) } : {}),
      },
    }));
    const answers = await Promise.all(asked.map(({ id, body }) => ask('PATCH', `${PATH}/${id}`, body)));
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    for (const id of ids) {
      const { body } = await call(200, 'GET', `${PATH}/${id}`);
      const shown = [
        ...(body.email ? [{ kind: 'EMAIL', value: body.email }] : []),
        ...(body.phone_number ? [{ kind: 'PHONE', value: body.phone_number.slice(1) }] : []),
      ];
      assert.deepEqual(await listIdentities(id), shown, `round ${round}`);
    }
  }
  // A request that meets a deadlock is answered 503 and changes nothing.
  statuses.delete(503);
  assert.deepEqual(new Set(statuses.keys()), new Set([200, 409]));
});

test('changes of different fields at the same moment are all stored, also while messages come in', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const from = makePhoneNumber();
  const { contact } = await writeAsContact(platform, { from });
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const business = (await call(201, 'POST', '/v1/businesses', { body: { name: 'B' } })).body._id;
  const slugs = ['a', 'b', 'c', 'd', 'e'];
  for (const slug of slugs) {
    await call(201, 'POST', '/v1/custom-fields', { body: { title: slug, slug, context: 'contact', type: 'NUMBER' } });
  }
  const text = (): string => `t${Math.floor(random() * 3)}`;
  const values: Record<string, () => unknown> = {
    name: () => text(),
    email: () => `${text()}@example.com`,
    external_id: text,
    professional_network_identifier: text,
    avatar_url: () => `https://example.com/${text()}`,
    language: () => (random() < 0.5 ? 'en' : null),
    tags: () => [text()],
    owner: () => (random() < 0.5 ? user._id : null),
    business: () => (random() < 0.5 ? business : null),
    opted_out: () => random() < 0.5,
    blocked: () => random() < 0.5,
    ...Object.fromEntries(
      slugs.map((slug) => [`custom_fields.${slug}`, () => (random() < 0.3 ? null : Math.floor(random() * 3))]),
    ),
  };
  const expected: Record<string, unknown> = {};
  for (let round = 0; round < 20; round += 1) {
    // Each field is put into one of six requests, or into none.
    const bodies: Json[] = Array.from({ length: 6 }, () => ({}));
    for (const [field, make] of Object.entries(values)) {
      if (random() < 0.2) continue;
      const body = bodies[Math.floor(random() * bodies.length)];
      const [top = '', slug] = field.split('.');
      const value = make();
      expected[field] = value;
      if (slug) body[top] = { ...body[top], [slug]: value };
      else body[top] = value;
    }
    await Promise.all([...bodies.map((body) => patch(200, contact._id, body)), writeAsContact(platform, { from })]);
    const { body } = await call(200, 'GET', `${PATH}/${contact._id}`);
    for (const [field, value] of Object.entries(expected)) {
      const [top = '', slug] = field.split('.');
      const held = slug ? (body.custom_fields.find((item: Json) => item.slug === slug)?.value ?? null) : body[top];
      assert.deepEqual(held, value, `round ${round}: ${field}`);
    }
    const [row] = await database.sql<{ at: string }>(
      'select max(created_at) as at from messages where contact_id = $1',
      [contact._id],
    );
    assert.equal(new Date(body.last_message_at).getTime(), new Date(row?.at ?? '').getTime(), `round ${round}`);
  }
});
