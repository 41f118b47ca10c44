import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createAnswerGate,
  createListeningCompany,
  waitForFinishedDeliveries,
  queueEvents,
  startReceiver,
} from '../../../test/support/deliveries.ts';
import { connectPhone, startSecondProcess } from '../../../test/support/network.ts';
import { startPlatform, type Answer, type CallOptions, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { writeAsContact, listNetworkMessages, silenceNetwork } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { AppError } from '../values/errors.ts';
import { bindKeyToRecord, fingerprintRequest, purgeAttempts, runOnce, type KeyAttempt } from './idempotency.ts';
import { newId } from '../values/ids.ts';
import type { OutboundRequest } from '../outside/outbound.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { database, demo, globalKey } = platform;
const { database: rooms } = platform.running.kit;
const peer = await startSecondProcess(platform);
const USERS = '/v1/users';

interface Post {
  path: string;
  body: Json;
  key?: string;
  headers?: Record<string, string>;
}

const freshKey = (): string => `key-${newId()}`;
const person = (given: object = {}): Json => ({
  name: 'Ana',
  email: `${newId()}@example.test`,
  role: 'VIEWER',
  ...given,
});
const invitation = (given: object = {}): Post => ({ path: USERS, body: person(given) });

function post(status: number, { path, body, key, headers = {} }: Post, idempotencyKey: string): Promise<Answer> {
  const options: CallOptions = {
    body,
    headers: { ...headers, 'idempotency-key': idempotencyKey },
    ...(key ? { key } : {}),
  };
  return platform.call(status, 'POST', path, options);
}

const countRows = async (table: string, where = 'true'): Promise<number> =>
  (await database.sql<{ count: number }>(`select count(*)::int as count from ${table} where ${where}`))[0]?.count ?? 0;
const countAttempts = (key: string): Promise<number> => countRows('idempotency_keys', `key = '${key}'`);

/** Sends the same request twice and checks that the second answer is a repeat of the first. */
async function sendTwice(asked: Post): Promise<{ key: string; first: Json; second: Json }> {
  const key = freshKey();
  const first = await post(201, asked, key);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  const second = await post(201, asked, key);
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  assert.equal(second.body._id, first.body._id);
  return { key, first: first.body, second: second.body };
}

describe('a repeated request with the same Idempotency-Key and body does nothing twice and returns the record', () => {
  test('a repeated send with the same Idempotency-Key calls the network once', async () => {
    const { conversation } = await writeAsContact(platform);
    const body = { conversationId: conversation._id, message: { content: 'Once' } };
    const { first, second } = await sendTwice({ path: '/v1/messages/send-text', body });
    assert.equal(first.status, 'SENT');
    assert.deepEqual(second, first);
    assert.equal((await listNetworkMessages(platform, first._id)).length, 1);
    assert.equal(await countRows('messages', `content = 'Once'`), 1);
    assert.equal(await countRows('deliveries', `resource_id = '${first._id}' and event = 'MESSAGE_SENT'`), 1);
  });

  test('a repeated note with the same Idempotency-Key is stored once', async () => {
    const { conversation } = await writeAsContact(platform);
    const body = { conversationId: conversation._id, message: { content: 'Noted once' } };
    const { first, second } = await sendTwice({ path: '/v1/messages/note', body });
    assert.deepEqual(second, first);
    assert.equal(await countRows('messages', `content = 'Noted once'`), 1);
  });

  test('repeated requests with the same Idempotency-Key create one inbox, one webhook and one replay of a delivery', async () => {
    const inbox = await sendTwice({ path: '/v1/inboxes', body: { channel: 'WEB_V2', name: 'Site once' } });
    assert.deepEqual(inbox.second, inbox.first);
    assert.equal(await countRows('inboxes', `name = 'Site once'`), 1);
    const company = await platform.createCompany();
    const receiver = await startReceiver();
    const { key } = company;
    const webhook = { url: receiver.url, events: ['CONTACT_CREATED'] };
    // Without its key the second request would be answered with 409, because a company has one webhook.
    await sendTwice({ path: '/v1/webhooks', key, body: webhook });
    await queueEvents(platform, company._id);
    const [delivered] = await waitForFinishedDeliveries(platform, company);
    await sendTwice({ path: `/v1/webhooks/deliveries/${delivered._id}/replay`, key, body: undefined });
    assert.equal((await waitForFinishedDeliveries(platform, company, 2)).length, 2);
    assert.equal(receiver.received.length, 2);
  });

  test('a repeated invitation with the same Idempotency-Key creates one user, who is invited once', async () => {
    const asked = invitation();
    const { first, second } = await sendTwice(asked);
    // The link of the invitation is a secret, which is shown once.
    const { invitation_link: link, ...user } = first;
    assert.equal(typeof link, 'string');
    assert.deepEqual(second, user);
    assert.equal(await countRows('users', `email = '${asked.body.email}'`), 1);
    assert.equal(await countRows('pgboss.job', `data->>'user' = '${first._id}'`), 1);
  });

  test('a repeated creation of a company with the same Idempotency-Key creates one company', async () => {
    const body = { name: 'Once', owner: { name: 'Ana', email: `${newId()}@example.test` } };
    const { first } = await sendTwice({ path: '/v1/companies', key: globalKey, body });
    assert.equal(await countRows('users', `company_id = '${first._id}'`), 1);
  });

  test('a repeated creation of an API key returns the same key without its token', async () => {
    for (const asked of [
      { body: { name: 'Once', type: 'company', scopes: ['contacts:read'] } },
      { body: { name: 'Once', type: 'global', scopes: ['contacts:read'] }, key: globalKey },
      {
        body: { name: 'Once', type: 'global', scopes: ['contacts:read'] },
        key: globalKey,
        headers: { 'x-company-id': demo._id },
      },
    ]) {
      const { first, second } = await sendTwice({ path: '/v1/api-keys', ...asked });
      assert.equal(typeof first.token, 'string');
      assert.deepEqual(second, { ...first, token: null });
    }
    assert.equal(await countRows('api_keys', `name = 'Once'`), 3);
  });

  test('a repeat returns the current state of the record, or 404 after it was deleted', async () => {
    const asked = invitation();
    const { key, first } = await sendTwice(asked);
    await platform.call(200, 'PATCH', `${USERS}/${first._id}`, { body: { name: 'Bea' } });
    assert.equal((await post(201, asked, key)).body.name, 'Bea');
    await platform.call(200, 'DELETE', `${USERS}/${first._id}`);
    expectProblem(await post(404, asked, key), 'NOT_FOUND');
    assert.equal(await countRows('users', `email = '${asked.body.email}'`), 0);
  });

  test('a repeat adds no second entry to the audit log', async () => {
    const { first } = await sendTwice(invitation());
    assert.equal(await countRows('audit_log', `resource_id = '${first._id}'`), 1);
  });
});

describe('a repeat while the first request runs', () => {
  test('a repeat during the first request is answered with 409 and Retry-After, and gets the record afterwards', async (t) => {
    const phone = await connectPhone(platform);
    const { conversation } = await writeAsContact(platform, { phone_number_id: phone.id });
    const asked = {
      path: '/v1/messages/send-text',
      body: { conversationId: conversation._id, message: { content: 'Slow' } },
    };
    const gate = createAnswerGate();
    const { outbound } = platform.running.kit;
    const { operator } = outbound;
    t.mock.method(outbound, 'operator', async (request: OutboundRequest) => {
      await gate.opened;
      return operator(request);
    });
    const key = freshKey();
    const first = post(201, asked, key);
    await waitUntil('the message to be stored', async () => (await countRows('messages', `content = 'Slow'`)) === 1);
    const early = await post(409, asked, key);
    expectProblem(early, 'IDEMPOTENCY_IN_FLIGHT');
    assert.equal(early.headers.get('retry-after'), '1');
    expectProblem(
      await post(422, { ...asked, body: { ...asked.body, replyTo: newId() } }, key),
      'IDEMPOTENCY_KEY_REUSED',
    );
    gate.open();
    const { _id } = (await first).body;
    assert.equal((await post(201, asked, key)).body._id, _id);
    assert.equal((await listNetworkMessages(platform, _id)).length, 1);
  });

  test('of 20 equal requests at once on two processes one creates the record, and the others get 409 or the same record', async () => {
    for (let round = 0; round < 5; round += 1) {
      const asked = invitation();
      const key = freshKey();
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const response = await fetch(`${index % 2 ? peer.url : platform.url}${USERS}`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${demo.key}`,
              'content-type': 'application/json',
              'idempotency-key': key,
            },
            body: JSON.stringify(asked.body),
          });
          return { status: response.status, body: (await response.json()) as Json };
        }),
      );
      assert.equal(await countRows('users', `email = '${asked.body.email}'`), 1);
      const made = answers.filter(({ status }) => status === 201);
      assert.ok(made.length >= 1);
      assert.equal(new Set(made.map(({ body }) => body._id as string)).size, 1);
      for (const { status, body } of answers) {
        if (status !== 201) assert.deepEqual([status, body.code], [409, 'IDEMPOTENCY_IN_FLIGHT']);
      }
    }
  });

  test('the claim on an Idempotency-Key is renewed as long as its request runs', async () => {
    const owner = { company: demo._id, principal: newId(), key: freshKey() };
    const gate = createAnswerGate();
    const { _id } = await platform.createUser(demo._id, 'VIEWER');
    const running = runOnce(rooms.system('upkeep'), {
      owner,
      fingerprint: fingerprintRequest('POST', '/', null),
      run: async (attempt) => {
        await gate.opened;
        await rooms.tenantTx(demo._id, (tx) => bindKeyToRecord(tx, attempt, _id));
        return { answer: 'made', status: 201 };
      },
      again: async () => 'again',
    });
    const claim = `key = '${owner.key}' and running_until`;
    await waitUntil('the claim', async () => (await countRows('idempotency_keys', `${claim} > now()`)) === 1);
    await database.sql(`update idempotency_keys set running_until = now() + interval '6 seconds' where key = $1`, [
      owner.key,
    ]);
    await waitUntil(
      'its renewal',
      async () => (await countRows('idempotency_keys', `${claim} > now() + interval '10 seconds'`)) === 1,
    );
    gate.open();
    assert.equal(await running, 'made');
    assert.equal(
      await countRows('idempotency_keys', `${claim} is null and resource_id = '${_id}' and status_code = 201`),
      1,
    );
  });

  test('a request whose Idempotency-Key was taken over by another one stores nothing', async () => {
    const owner = { company: demo._id, principal: newId(), key: freshKey() };
    const { _id } = await platform.createUser(demo._id, 'VIEWER');
    const run = async (attempt: KeyAttempt): Promise<{ answer: string; status: number }> => {
      await database.sql(`update idempotency_keys set attempt = 'another' where key = $1`, [owner.key]);
      await rooms.tenantTx(demo._id, async (tx) => {
        const text = `update users set name = 'Lost' where company_id = $1 and _id = $2`;
        assert.equal(await tx.execute({ name: 'test.rename', text, values: [demo._id, _id] }), 1);
        await bindKeyToRecord(tx, attempt, _id);
      });
      return { answer: 'made', status: 201 };
    };
    const asked = { owner, fingerprint: fingerprintRequest('POST', '/', null), run, again: async () => 'again' };
    await assert.rejects(
      runOnce(rooms.system('upkeep'), asked),
      (error) => error instanceof AppError && error.code === 'IDEMPOTENCY_IN_FLIGHT',
    );
    assert.equal(await countRows('users', `name = 'Lost'`), 0);
    // This has no effect on the attempt that has the key now.
    assert.equal(await countRows('idempotency_keys', `key = '${owner.key}' and attempt = 'another'`), 1);
  });
});

describe('another request with the same Idempotency-Key is answered with 422', () => {
  test('another value, property or operation with the same Idempotency-Key is answered with 422 and does nothing', async () => {
    const asked = invitation();
    const { key } = await sendTwice(asked);
    const { body } = asked;
    const others: Post[] = [
      { path: USERS, body: { ...body, name: 'Bea' } },
      { path: USERS, body: { ...body, language: 'en' } },
      { path: '/v1/api-keys', body: { name: 'Other', type: 'company', scopes: ['contacts:read'] } },
    ];
    for (const other of others) expectProblem(await post(422, other, key), 'IDEMPOTENCY_KEY_REUSED');
    assert.equal(await countRows('users', `email = '${body.email}'`), 1);
    assert.equal((await post(201, asked, key)).body.name, 'Ana');
  });
});

describe('an Idempotency-Key belongs to one caller and company', () => {
  test('different callers and companies can use the same Idempotency-Key independently of each other', async () => {
    const key = freshKey();
    const other = await platform.createCompany();
    const second = await platform.createKey(demo._id, ['*']);
    const user = await platform.createUser(demo._id, 'OWNER');
    const made = new Map<string, Post>();
    for (const by of [
      { key: demo.key },
      { key: second.token },
      { key: user.token },
      { key: other.key },
      { key: globalKey, headers: { 'x-company-id': demo._id } },
      { key: globalKey, headers: { 'x-company-id': other._id } },
    ]) {
      const asked = { ...invitation(), ...by };
      const answer = await post(201, asked, key);
      assert.equal(answer.headers.get('idempotent-replayed'), null);
      made.set(answer.body._id, asked);
    }
    for (const [id, asked] of made) assert.equal((await post(201, asked, key)).body._id, id);
    assert.equal(made.size, 6);
    const global = {
      path: '/v1/api-keys',
      key: globalKey,
      body: { name: 'Own', type: 'global', scopes: ['audit:read'] },
    };
    await post(201, global, key);
    assert.equal(await countAttempts(key), 7);
  });
});

describe('the Idempotency-Key of a failed request is not kept', () => {
  test('a refused request may be corrected and sent again with the same Idempotency-Key', async () => {
    const key = freshKey();
    const taken = person();
    await platform.call(201, 'POST', USERS, { body: taken });
    expectProblem(await post(400, invitation({ role: 'KING' }), key), 'VALIDATION_FAILED', 'role');
    expectProblem(await post(409, { path: USERS, body: taken }, key), 'USER_EXISTS');
    const path = '/v1/messages/note';
    expectProblem(
      await post(400, { path, body: { conversationId: newId(), message: { content: 'x' } } }, key),
      'UNKNOWN_REFERENCE',
      'conversationId',
    );
    const viewer = (await platform.createUser(demo._id, 'VIEWER')).token;
    expectProblem(await post(403, { ...invitation(), key: viewer }, key), 'FORBIDDEN');
    assert.equal(await countAttempts(key), 0);
    await post(201, invitation(), key);
  });

  test('when the Idempotency-Key cannot be stored, the record is not stored either', async () => {
    const asked = invitation();
    const key = freshKey();
    await database.sql('alter table idempotency_keys add constraint unbound check (resource_id is null) not valid');
    try {
      expectProblem(await post(500, asked, key), 'INTERNAL_ERROR');
    } finally {
      await database.sql('alter table idempotency_keys drop constraint unbound');
    }
    assert.equal(await countRows('users', `email = '${asked.body.email}'`), 0);
    assert.equal(await countAttempts(key), 0);
    await post(201, asked, key);
  });
});

describe('the Idempotency-Key of a process that died', () => {
  /** Stores an attempt as a dead process leaves it: the claim is still running, and the created record, if any, is linked. */
  async function leave(asked: Post, key: string, resource: string | null): Promise<void> {
    await database.sql(
      `insert into idempotency_keys (company_id, principal_id, key, fingerprint, attempt, running_until, resource_id)
        values ($1, $2, $3, $4, new_id(), now() + interval '15 seconds', $5)`,
      [
        asked.headers?.['x-company-id'] ?? null,
        await globalId(),
        key,
        fingerprintRequest('POST', asked.path, asked.body),
        resource,
      ],
    );
  }
  const globalId = async (): Promise<string> => {
    const [row] = await database.sql<{ _id: string }>(`select _id from api_keys where name = 'First global key'`);
    return row?._id ?? '';
  };
  const endLease = (key: string): Promise<unknown> =>
    database.sql(`update idempotency_keys set running_until = now() - interval '1 second' where key = $1`, [key]);

  for (const headers of [{ 'x-company-id': demo._id }, {}]) {
    const whose = 'x-company-id' in headers ? 'a company' : 'no company';
    const asked: Post = {
      path: '/v1/api-keys',
      key: globalKey,
      headers,
      body: { name: `Left by ${whose}`, type: 'global', scopes: ['audit:read'] },
    };

    test(`the key of a dead process that created nothing is free after its lease (${whose})`, async () => {
      const key = freshKey();
      await leave(asked, key, null);
      expectProblem(await post(409, asked, key), 'IDEMPOTENCY_IN_FLIGHT');
      await endLease(key);
      const other = { ...asked, body: { ...asked.body, name: 'Other' } };
      expectProblem(await post(422, other, key), 'IDEMPOTENCY_KEY_REUSED');
      const made = await post(201, asked, key);
      assert.equal(made.headers.get('idempotent-replayed'), null);
      assert.equal((await post(201, asked, key)).body._id, made.body._id);
    });

    test(`the record that a dead process created is returned for its key after the lease (${whose})`, async () => {
      const key = freshKey();
      const { _id } = await platform.createKey(null, ['audit:read']);
      const before = await countRows('api_keys');
      await leave(asked, key, _id);
      expectProblem(await post(409, asked, key), 'IDEMPOTENCY_IN_FLIGHT');
      await endLease(key);
      const answer = await post(201, asked, key);
      assert.equal(answer.headers.get('idempotent-replayed'), 'true');
      assert.equal(answer.body._id, _id);
      assert.equal(await countRows('api_keys'), before);
    });
  }
});

describe('an Idempotency-Key is kept for 24 hours', () => {
  const age = (key: string, interval: string): Promise<unknown> =>
    database.sql(`update idempotency_keys set created_at = now() - $2::interval where key = $1`, [key, interval]);

  test('an Idempotency-Key is free again after 24 hours, also for another request', async () => {
    const asked = invitation();
    const { key, first } = await sendTwice(asked);
    await age(key, '23 hours 59 minutes');
    assert.equal((await post(201, asked, key)).body._id, first._id);
    await age(key, '24 hours 1 second');
    const other = invitation();
    const made = await post(201, other, key);
    assert.equal(made.headers.get('idempotent-replayed'), null);
    assert.notEqual(made.body._id, first._id);
    assert.equal((await post(201, other, key)).body._id, made.body._id);
  });

  test('the purge deletes attempts older than 24 hours, but no younger and no running ones', async () => {
    const [old, young, running] = [freshKey(), freshKey(), freshKey()];
    for (const key of [old, young, running]) await post(201, invitation(), key);
    await age(old, '24 hours 1 second');
    await age(young, '23 hours 59 minutes');
    await age(running, '25 hours');
    await database.sql(`update idempotency_keys set running_until = now() + interval '1 minute' where key = $1`, [
      running,
    ]);
    assert.ok((await purgeAttempts(rooms.system('upkeep'), 1_000)) >= 1);
    assert.deepEqual(await Promise.all([old, young, running].map(countAttempts)), [0, 1, 1]);
  });
});

describe('the header Idempotency-Key', () => {
  test('an Idempotency-Key has 1 to 255 visible ASCII characters; any other value is refused', async () => {
    const longest = 'k'.repeat(255 - 24) + newId();
    const symbols = `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~${newId()}`;
    for (const key of [longest, symbols, 'k']) await post(201, invitation(), key);
    for (const key of ['', 'k'.repeat(256), 'two words', 'tab\there', 'ação', '\u00a0']) {
      const asked = invitation();
      expectProblem(await post(400, asked, key), 'VALIDATION_FAILED', 'idempotency-key');
      assert.equal(await countRows('users', `email = '${asked.body.email}'`), 0);
    }
  });

  test('operations that create nothing ignore the Idempotency-Key', async () => {
    const { token: key } = await platform.createKey(demo._id, ['*']);
    const { body: user } = await platform.call(201, 'POST', USERS, { key, body: person() });
    const path = `${USERS}/${user._id}`;
    for (const text of [freshKey(), 'not a key']) {
      const headers = { 'idempotency-key': text };
      await platform.call(200, 'GET', path, { key, headers });
      for (const name of ['Bea', 'Caio']) {
        const { body } = await platform.call(200, 'PATCH', path, { key, headers, body: { name } });
        assert.equal(body.name, name);
      }
      const credentials = { email: 'nobody@example.test', password: 'x'.repeat(12) };
      const login = { key: null, headers, body: credentials };
      await platform.call(401, 'POST', '/v1/auth/login', login);
      await platform.call(401, 'POST', '/v1/auth/login', login);
      assert.equal(await countAttempts(text), 0);
    }
    const { webhook, key: owner } = await createListeningCompany(platform, 'http://127.0.0.1:9/');
    const removal = { key: owner, headers: { 'idempotency-key': freshKey() } };
    await platform.call(200, 'DELETE', `/v1/webhooks/${webhook}`, removal);
    await platform.call(404, 'DELETE', `/v1/webhooks/${webhook}`, removal);
  });
});

test('two requests whose bodies differ only in the order of properties are the same', () => {
  const one = fingerprintRequest('POST', USERS, { a: 1, b: [{ c: 2, d: null }] });
  assert.deepEqual(one, fingerprintRequest('POST', USERS, { b: [{ d: null, c: 2 }], a: 1 }));
  assert.notDeepEqual(one, fingerprintRequest('POST', USERS, { a: 1, b: [{ c: 3, d: null }] }));
});

test('a record that is committed only after its request has failed keeps its Idempotency-Key', async () => {
  const owner = { company: demo._id, principal: newId(), key: freshKey() };
  const once = (run: (attempt: KeyAttempt) => Promise<{ answer: string; status: number }>): Promise<string> =>
    runOnce(rooms.system('upkeep'), { owner, fingerprint: Buffer.alloc(32), run, again: async (id) => `again ${id}` });
  let commit: () => void = () => undefined;
  const committed = new Promise<void>((resolve) => (commit = resolve));
  let effect: Promise<void> = Promise.resolve();
  const failed = once(async (attempt) => {
    const bound = new Promise<void>((resolve) => {
      effect = rooms.systemTx('upkeep', async (tx) => {
        await bindKeyToRecord(tx, attempt, 'made');
        resolve();
        await committed;
      });
    });
    await bound;
    throw new Error('the connection broke');
  });
  const outcome = failed.then(
    () => 'answered',
    (error: unknown) => (error as Error).message,
  );
  await waitUntil('the request to wait for the row', async () => {
    const waiting = await database.sql(
      `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query ~ 'idempotency_keys'`,
    );
    return waiting.length > 0;
  });
  commit();
  await effect;
  assert.equal(await outcome, 'the connection broke');
  // The attempt was not closed, so its result is available only after the lease.
  await database.sql(`update idempotency_keys set running_until = now() - interval '1 second' where key = $1`, [
    owner.key,
  ]);
  assert.equal(await once(async () => assert.fail('it ran twice')), 'again made');
});
