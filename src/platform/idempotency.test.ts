import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createGate,
  createListener,
  finishedDeliveries,
  queueEvents,
  startReceiver,
} from '../../test/support/deliveries.ts';
import { connectPhone, startPeer } from '../../test/support/network.ts';
import { startPlatform, type Answer, type CallOptions, type Json } from '../../test/support/platform.ts';
import { expectProblem } from '../../test/support/refusals.ts';
import { hear, leftFor, silenceNetwork } from '../../test/support/traffic.ts';
import { until } from '../../test/support/wait.ts';
import { AppError } from './errors.ts';
import { bindEffect, fingerprintRequest, purgeAttempts, runOnce, type Attempt } from './idempotency.ts';
import { newId } from './ids.ts';

const platform = await startPlatform({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
await silenceNetwork(platform);
const { database, demo, globalKey } = platform;
const { database: rooms } = platform.running.kit;
const peer = await startPeer(platform, { OUTBOUND_ALLOW: '127.0.0.0/8' });
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

const countOf = async (table: string, where = 'true'): Promise<number> =>
  (await database.sql<{ count: number }>(`select count(*)::int as count from ${table} where ${where}`))[0]?.count ?? 0;
const countAttempts = (key: string): Promise<number> => countOf('idempotency_keys', `key = '${key}'`);

/** The first makes it, the second finds it. */
async function twice(asked: Post): Promise<{ key: string; first: Json; second: Json }> {
  const key = freshKey();
  const first = await post(201, asked, key);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  const second = await post(201, asked, key);
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  assert.equal(second.body._id, first.body._id);
  return { key, first: first.body, second: second.body };
}

describe('a repeat with the same key and body does nothing twice, and is answered with the record', () => {
  test('of a send: the network is called once', async () => {
    const { conversation } = await hear(platform);
    const body = { conversationId: conversation._id, message: { content: 'Once' } };
    const { first, second } = await twice({ path: '/v1/messages/send-text', body });
    assert.equal(first.status, 'SENT');
    assert.deepEqual(second, first);
    assert.equal((await leftFor(platform, first._id)).length, 1);
    assert.equal(await countOf('messages', `content = 'Once'`), 1);
    assert.equal(await countOf('deliveries', `resource_id = '${first._id}' and event = 'MESSAGE_SENT'`), 1);
  });

  test('of a note', async () => {
    const { conversation } = await hear(platform);
    const body = { conversationId: conversation._id, message: { content: 'Noted once' } };
    const { first, second } = await twice({ path: '/v1/messages/note', body });
    assert.deepEqual(second, first);
    assert.equal(await countOf('messages', `content = 'Noted once'`), 1);
  });

  test('of an inbox, a webhook and a delivery that is replayed', async () => {
    const inbox = await twice({ path: '/v1/inboxes', body: { channel: 'WEB_V2', name: 'Site once' } });
    assert.deepEqual(inbox.second, inbox.first);
    assert.equal(await countOf('inboxes', `name = 'Site once'`), 1);
    const company = await platform.createCompany();
    const receiver = await startReceiver();
    const { key } = company;
    const webhook = { url: receiver.url, events: ['CONTACT_CREATED'] };
    // Without its key the second would be 409: a company has one webhook.
    await twice({ path: '/v1/webhooks', key, body: webhook });
    await queueEvents(platform, company._id);
    const [delivered] = await finishedDeliveries(platform, company);
    await twice({ path: `/v1/webhooks/deliveries/${delivered._id}/replay`, key, body: undefined });
    assert.equal((await finishedDeliveries(platform, company, 2)).length, 2);
    assert.equal(receiver.received.length, 2);
  });

  test('of a user, who is invited once', async () => {
    const asked = invitation();
    const { first, second } = await twice(asked);
    assert.deepEqual(second, first);
    assert.equal(await countOf('users', `email = '${asked.body.email}'`), 1);
    assert.equal(await countOf('pgboss.job', `data->>'user' = '${first._id}'`), 1);
  });

  test('of a company, by a global key that names none', async () => {
    const body = { name: 'Once', owner: { name: 'Ana', email: `${newId()}@example.test` } };
    const { first } = await twice({ path: '/v1/companies', key: globalKey, body });
    assert.equal(await countOf('users', `company_id = '${first._id}'`), 1);
  });

  test('of an API key, whose token was shown once: the repeat has none', async () => {
    for (const asked of [
      { body: { name: 'Once', type: 'company', scopes: ['contacts:read'] } },
      { body: { name: 'Once', type: 'global', scopes: ['contacts:read'] }, key: globalKey },
      {
        body: { name: 'Once', type: 'global', scopes: ['contacts:read'] },
        key: globalKey,
        headers: { 'x-company-id': demo._id },
      },
    ]) {
      const { first, second } = await twice({ path: '/v1/api-keys', ...asked });
      assert.equal(typeof first.token, 'string');
      assert.deepEqual(second, { ...first, token: null });
    }
    assert.equal(await countOf('api_keys', `name = 'Once'`), 3);
  });

  test('as the record is now, and 404 when it is gone', async () => {
    const asked = invitation();
    const { key, first } = await twice(asked);
    await platform.call(200, 'PATCH', `${USERS}/${first._id}`, { body: { name: 'Bea' } });
    assert.equal((await post(201, asked, key)).body.name, 'Bea');
    await platform.call(200, 'DELETE', `${USERS}/${first._id}`);
    expectProblem(await post(404, asked, key), 'NOT_FOUND');
    assert.equal(await countOf('users', `email = '${asked.body.email}'`), 0);
  });

  test('and leaves one line in the audit', async () => {
    const { first } = await twice(invitation());
    assert.equal(await countOf('audit_log', `resource_id = '${first._id}'`), 1);
  });
});

describe('while the first runs', () => {
  test('a repeat is 409 and says when to come back; afterwards it gets the answer', async () => {
    const phone = await connectPhone(platform);
    const { conversation } = await hear(platform, { phone_number_id: phone.id });
    const asked = {
      path: '/v1/messages/send-text',
      body: { conversationId: conversation._id, message: { content: 'Slow' } },
    };
    await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ kind: 'slow', ms: 4_000, times: 1 }] } });
    const key = freshKey();
    const first = post(201, asked, key);
    await until('the message to be stored', async () => (await countOf('messages', `content = 'Slow'`)) === 1);
    const early = await post(409, asked, key);
    expectProblem(early, 'IDEMPOTENCY_IN_FLIGHT');
    assert.equal(early.headers.get('retry-after'), '1');
    expectProblem(
      await post(422, { ...asked, body: { ...asked.body, replyTo: newId() } }, key),
      'IDEMPOTENCY_KEY_REUSED',
    );
    const { _id } = (await first).body;
    assert.equal((await post(201, asked, key)).body._id, _id);
    assert.equal((await leftFor(platform, _id)).length, 1);
  });

  test('of 20 who come at once over two processes one makes it, and the others are told 409 or the same record', async () => {
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
      assert.equal(await countOf('users', `email = '${asked.body.email}'`), 1);
      const made = answers.filter(({ status }) => status === 201);
      assert.ok(made.length >= 1);
      assert.equal(new Set(made.map(({ body }) => body._id as string)).size, 1);
      for (const { status, body } of answers) {
        if (status !== 201) assert.deepEqual([status, body.code], [409, 'IDEMPOTENCY_IN_FLIGHT']);
      }
    }
  });

  test('the claim is renewed, however long it lasts', async () => {
    const owner = { company: demo._id, principal: newId(), key: freshKey() };
    const gate = createGate();
    const { _id } = await platform.createUser(demo._id, 'VIEWER');
    const running = runOnce(rooms.system('upkeep'), {
      owner,
      fingerprint: fingerprintRequest('POST', '/', null),
      run: async (attempt) => {
        await gate.opened;
        await rooms.tenantTx(demo._id, (tx) => bindEffect(tx, attempt, _id));
        return { answer: 'made', status: 201 };
      },
      again: async () => 'again',
    });
    const claim = `key = '${owner.key}' and running_until`;
    await until('the claim', async () => (await countOf('idempotency_keys', `${claim} > now()`)) === 1);
    await database.sql(`update idempotency_keys set running_until = now() + interval '6 seconds' where key = $1`, [
      owner.key,
    ]);
    await until(
      'its renewal',
      async () => (await countOf('idempotency_keys', `${claim} > now() + interval '10 seconds'`)) === 1,
    );
    gate.open();
    assert.equal(await running, 'made');
    assert.equal(
      await countOf('idempotency_keys', `${claim} is null and resource_id = '${_id}' and status_code = 201`),
      1,
    );
  });

  test('whoever lost the key meanwhile stores nothing', async () => {
    const owner = { company: demo._id, principal: newId(), key: freshKey() };
    const { _id } = await platform.createUser(demo._id, 'VIEWER');
    const run = async (attempt: Attempt): Promise<{ answer: string; status: number }> => {
      await database.sql(`update idempotency_keys set attempt = 'another' where key = $1`, [owner.key]);
      await rooms.tenantTx(demo._id, async (tx) => {
        const text = `update users set name = 'Lost' where company_id = $1 and _id = $2`;
        assert.equal(await tx.execute({ name: 'test.rename', text, values: [demo._id, _id] }), 1);
        await bindEffect(tx, attempt, _id);
      });
      return { answer: 'made', status: 201 };
    };
    const asked = { owner, fingerprint: fingerprintRequest('POST', '/', null), run, again: async () => 'again' };
    await assert.rejects(
      runOnce(rooms.system('upkeep'), asked),
      (error) => error instanceof AppError && error.code === 'IDEMPOTENCY_IN_FLIGHT',
    );
    assert.equal(await countOf('users', `name = 'Lost'`), 0);
    // And whose key it is now, goes on.
    assert.equal(await countOf('idempotency_keys', `key = '${owner.key}' and attempt = 'another'`), 1);
  });
});

describe('another request with the same key is 422 and does nothing', () => {
  test('be it another value, another property or another operation', async () => {
    const asked = invitation();
    const { key } = await twice(asked);
    const { body } = asked;
    const others: Post[] = [
      { path: USERS, body: { ...body, name: 'Bea' } },
      { path: USERS, body: { ...body, language: 'en' } },
      { path: '/v1/api-keys', body: { name: 'Other', type: 'company', scopes: ['contacts:read'] } },
    ];
    for (const other of others) expectProblem(await post(422, other, key), 'IDEMPOTENCY_KEY_REUSED');
    assert.equal(await countOf('users', `email = '${body.email}'`), 1);
    assert.equal((await post(201, asked, key)).body.name, 'Ana');
  });
});

describe('a key belongs to who uses it', () => {
  test('another principal, another company and a global key use the same text for their own', async () => {
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

describe('what made nothing is not kept', () => {
  test('a request that was refused may be mended and sent again with its key', async () => {
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

  test('nor what could not be stored with its key: both are in one transaction', async () => {
    const asked = invitation();
    const key = freshKey();
    await database.sql('alter table idempotency_keys add constraint unbound check (resource_id is null) not valid');
    try {
      expectProblem(await post(500, asked, key), 'INTERNAL_ERROR');
    } finally {
      await database.sql('alter table idempotency_keys drop constraint unbound');
    }
    assert.equal(await countOf('users', `email = '${asked.body.email}'`), 0);
    assert.equal(await countAttempts(key), 0);
    await post(201, asked, key);
  });
});

describe('a process that died over a request leaves its key', () => {
  /** As such a process leaves it: the claim runs, and what it made, if anything, is bound. */
  async function leave(asked: Post, key: string, resource: string | null): Promise<void> {
    await database.sql(
      `insert into idempotency_keys (company_id, principal_id, key, fingerprint, attempt, running_until, resource_id)
        values ($1, $2, $3, $4, 'dead', now() + interval '15 seconds', $5)`,
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

    test(`free again after its lease, when nothing was made (${whose})`, async () => {
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

    test(`to what it made: that is the answer after its lease, with the status of a success (${whose})`, async () => {
      const key = freshKey();
      const { _id } = await platform.createKey(null, ['audit:read']);
      const before = await countOf('api_keys');
      await leave(asked, key, _id);
      expectProblem(await post(409, asked, key), 'IDEMPOTENCY_IN_FLIGHT');
      await endLease(key);
      const answer = await post(201, asked, key);
      assert.equal(answer.headers.get('idempotent-replayed'), 'true');
      assert.equal(answer.body._id, _id);
      assert.equal(await countOf('api_keys'), before);
    });
  }
});

describe('a key is kept for 24 hours', () => {
  const age = (key: string, interval: string): Promise<unknown> =>
    database.sql(`update idempotency_keys set created_at = now() - $2::interval where key = $1`, [key, interval]);

  test('and is free afterwards, also for another request', async () => {
    const asked = invitation();
    const { key, first } = await twice(asked);
    await age(key, '23 hours 59 minutes');
    assert.equal((await post(201, asked, key)).body._id, first._id);
    await age(key, '24 hours 1 second');
    const other = invitation();
    const made = await post(201, other, key);
    assert.equal(made.headers.get('idempotent-replayed'), null);
    assert.notEqual(made.body._id, first._id);
    assert.equal((await post(201, other, key)).body._id, made.body._id);
  });

  test('the purge removes what is older, and neither what is younger nor what still runs', async () => {
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

describe('the header', () => {
  test('is a text of 1 to 255 visible characters; anything else is refused and does nothing', async () => {
    const longest = 'k'.repeat(255 - 24) + newId();
    const symbols = `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~${newId()}`;
    for (const key of [longest, symbols, 'k']) await post(201, invitation(), key);
    for (const key of ['', 'k'.repeat(256), 'two words', 'tab\there', 'ação', '\u00a0']) {
      const asked = invitation();
      expectProblem(await post(400, asked, key), 'VALIDATION_FAILED', 'idempotency-key');
      assert.equal(await countOf('users', `email = '${asked.body.email}'`), 0);
    }
  });

  test('means nothing to operations that make nothing', async () => {
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
    const { webhook, key: owner } = await createListener(platform, 'http://127.0.0.1:9/');
    const removal = { key: owner, headers: { 'idempotency-key': freshKey() } };
    await platform.call(200, 'DELETE', `/v1/webhooks/${webhook}`, removal);
    await platform.call(404, 'DELETE', `/v1/webhooks/${webhook}`, removal);
  });
});

test('the order of properties makes no other request', () => {
  const one = fingerprintRequest('POST', USERS, { a: 1, b: [{ c: 2, d: null }] });
  assert.deepEqual(one, fingerprintRequest('POST', USERS, { b: [{ d: null, c: 2 }], a: 1 }));
  assert.notDeepEqual(one, fingerprintRequest('POST', USERS, { a: 1, b: [{ c: 3, d: null }] }));
});

test('an effect whose commit comes only after its request has failed keeps its key', async () => {
  const owner = { company: demo._id, principal: newId(), key: freshKey() };
  const once = (run: (attempt: Attempt) => Promise<{ answer: string; status: number }>): Promise<string> =>
    runOnce(rooms.system('upkeep'), { owner, fingerprint: Buffer.alloc(32), run, again: async (id) => `again ${id}` });
  let commit: () => void = () => undefined;
  const committed = new Promise<void>((resolve) => (commit = resolve));
  let effect: Promise<void> = Promise.resolve();
  const failed = once(async (attempt) => {
    const bound = new Promise<void>((resolve) => {
      effect = rooms.systemTx('upkeep', async (tx) => {
        await bindEffect(tx, attempt, 'made');
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
  await until('the request to wait for the row', async () => {
    const waiting = await database.sql(
      `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query ~ 'idempotency_keys'`,
    );
    return waiting.length > 0;
  });
  commit();
  await effect;
  assert.equal(await outcome, 'the connection broke');
  // Its process did not live to close it: the lease says when it is free to be told.
  await database.sql(`update idempotency_keys set running_until = now() - interval '1 second' where key = $1`, [
    owner.key,
  ]);
  assert.equal(await once(async () => assert.fail('it ran twice')), 'again made');
});
