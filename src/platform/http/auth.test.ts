import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { stopClock } from '../../../test/support/clock.ts';
import { startSecondProcess } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { storeLastUse } from '../../features/api-keys/api-keys.ts';
import { createAuthenticator, hashToken, type PrincipalSource, type StoredKey } from './auth.ts';
import { makeShortKey } from './short-keys.ts';
import { signToken } from './tokens.ts';
import { newId } from '../values/ids.ts';

const PREVIOUS = 'the secret of before, which still counts';
const platform = await startPlatform({ env: { JWT_SECRET_PREVIOUS: PREVIOUS } });
const { database, demo } = platform;
const { jwtSecret } = JSON.parse(await readFile(join(platform.dataDir, 'secrets.json'), 'utf8')) as Json;
const path = `/v1/inboxes/${demo.inbox}`;

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (part = ''): Json => JSON.parse(Buffer.from(part, 'base64url').toString());

/** Makes a token with changed parts and signs it by hand, because the library would refuse to make it. */
function forge(head: object, claims: object = {}, secret: string = jwtSecret): string {
  const [header, payload] = demo.key.split('.');
  const text = `${encode({ ...decode(header), ...head })}.${encode({ ...decode(payload), ...claims })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

async function refused(key: string | null, headers: Record<string, string> = {}): Promise<void> {
  const answer = await platform.call(401, 'GET', path, { key, headers });
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  assert.equal(answer.body.code, 'UNAUTHORIZED');
  assert.deepEqual(answer.body.errors, [], 'which part was wrong is nobody’s business');
}

describe('the token of a caller', () => {
  test('a request without a valid bearer token is refused', async () => {
    await refused(null);
    for (const authorization of [
      'Bearer',
      'Bearer ',
      demo.key,
      `Basic ${demo.key}`,
      `Bearer  ${demo.key}`,
      'Bearer a.b.c',
      `Bearer ${demo.key} x`,
    ]) {
      await refused(null, { authorization });
    }
    await platform.call(200, 'GET', path, { key: null, headers: { authorization: `bearer ${demo.key}` } });
  });

  for (const [what, key] of [
    [
      'without an algorithm',
      `${encode({ alg: 'none', kid: decode(demo.key.split('.')[0]).kid })}.${demo.key.split('.')[1]}.`,
    ],
    ['whose algorithm is none and that has a signature', forge({ alg: 'none' })],
    ['of another algorithm', forge({ alg: 'HS512' })],
    ['of an asymmetric algorithm', forge({ alg: 'RS256' })],
    ['with an unknown kid', forge({ kid: 'deadbeef' })],
    ['without a kid', forge({ kid: undefined })],
    ['signed by somebody else', forge({}, {}, 'x'.repeat(43))],
    ['of another issuer', forge({}, { iss: 'somebody' })],
    ['for another audience', forge({}, { aud: 'somebody' })],
    ['without an id', forge({}, { jti: undefined })],
    ['without a subject', forge({}, { sub: undefined })],
    ['with a critical extension', forge({ crit: ['x'], x: 1 })],
    ['that contains a key', forge({ jwk: { kty: 'oct', k: 'AA' } })],
    ['of an unknown type', forge({}, { type: 'root' })],
    ['of a company key that calls itself global', forge({}, { type: 'global' })],
    ['with a valid signature that was never issued', forge({}, { scopes: ['*'], extra: 1 })],
    ['with a changed signature', demo.key.slice(0, -2) + (demo.key.endsWith('AA') ? 'BB' : 'AA')],
    [
      'with changed claims',
      demo.key.replace(/\.[^.]+\./, `.${encode({ ...decode(demo.key.split('.')[1]), scopes: ['*', 'x'] })}.`),
    ],
    ['of more than 4,096 characters', forge({}, { scopes: Array.from({ length: 400 }, () => 'inboxes:read') })],
  ] as const) {
    test(`a token ${what} is refused`, () => refused(key));
  }

  test('a token that was signed with the previous secret is still accepted', async () => {
    const _id = newId();
    const token = await signToken(PREVIOUS, _id, { jti: _id, type: 'company', company: demo._id, scopes: ['*'] });
    await database.sql(
      `insert into api_keys (_id, company_id, type, name, prefix, token_hash, scopes) values ($1, $2, 'company', 'old', '', $3, '{*}')`,
      [_id, demo._id, hashToken(token)],
    );
    await platform.call(200, 'GET', path, { key: token });
  });

  test('only the hash of a token is stored', async () => {
    const rows = await database.sql<{ row: string }>('select k::text as row from api_keys k');
    for (const { row } of rows) assert.ok(!row.includes(demo.key.slice(-20)));
  });
});

describe('x-company-id', () => {
  const companyHeader = (id: string): Record<string, string> => ({ 'x-company-id': id });

  test('a global key must send x-company-id', async () => {
    for (const headers of [{}, companyHeader('')]) {
      const { body } = await platform.call(400, 'GET', path, { key: platform.globalKey, headers });
      assert.equal(body.code, 'COMPANY_ID_REQUIRED');
    }
  });

  test('x-company-id lets a global key act for the named company and for no other', async () => {
    const other = await platform.createCompany();
    await platform.call(200, 'GET', path, { key: platform.globalKey, headers: companyHeader(demo._id) });
    await platform.call(404, 'GET', path, { key: platform.globalKey, headers: companyHeader(other._id) });
  });

  test('x-company-id of an unknown, malformed, repeated or suspended company is answered with 404', async () => {
    const suspended = await platform.createCompany();
    await database.sql(`update companies set status = 'SUSPENDED' where _id = $1`, [suspended._id]);
    for (const id of [
      '0'.repeat(24),
      'nonsense',
      demo._id.toUpperCase(),
      `${demo._id}, ${demo._id}`,
      "' or 1=1",
      suspended._id,
    ]) {
      const { body } = await platform.call(404, 'GET', path, { key: platform.globalKey, headers: companyHeader(id) });
      assert.equal(body.code, 'NOT_FOUND');
    }
  });

  test('x-company-id is ignored for company keys and users', async () => {
    const other = await platform.createCompany();
    const user = await platform.createUser(demo._id, 'VIEWER');
    for (const key of [demo.key, user.token]) {
      for (const id of [other._id, 'nonsense', ''])
        await platform.call(200, 'GET', path, { key, headers: companyHeader(id) });
    }
    await platform.call(404, 'GET', path, { key: other.key, headers: companyHeader(demo._id) });
  });
});

// The tests of this group run concurrently, because each of them waits until an entry of the cache expires.
describe('a caller is refused', { concurrency: true }, () => {
  const dies = async (what: string, key: string): Promise<void> => {
    await platform.call(200, 'GET', path, { key });
    await database.sql(what);
    const headers = { authorization: `Bearer ${key}` };
    await waitUntil(
      'the caller to be refused',
      async () => (await fetch(platform.url + path, { headers })).status === 401,
    );
    await refused(key);
  };

  test('a caller is refused after its key is revoked', async () => {
    const key = await platform.createKey(demo._id, ['*']);
    await dies(`update api_keys set revoked_at = now() where _id = '${key._id}'`, key.token);
  });

  test('a caller is refused after its key is deleted', async () => {
    const key = await platform.createKey(demo._id, ['*']);
    await dies(`delete from api_keys where _id = '${key._id}'`, key.token);
  });

  test('a caller is refused after its user is deactivated', async () => {
    const user = await platform.createUser(demo._id, 'OWNER');
    await dies(`update users set status = 'INACTIVE' where _id = '${user._id}'`, user.token);
  });

  test('a caller is refused after its user gets a new session version', async () => {
    const user = await platform.createUser(demo._id, 'OWNER');
    await dies(`update users set session_version = 1 where _id = '${user._id}'`, user.token);
  });

  test('a key is refused exactly from its expiry on, even if it was used a moment before', async () => {
    const key = await platform.createKey(demo._id, ['*']);
    await database.sql(`update api_keys set expires_at = now() + interval '1 second' where _id = $1`, [key._id]);
    const [row] = await database.sql<{ at: Date }>('select expires_at as at from api_keys where _id = $1', [key._id]);
    assert.ok(row);
    const headers = { authorization: `Bearer ${key.token}` };
    // The status shows whether the key was valid at some moment between the request and its answer.
    await waitUntil('the key to expire', async () => {
      const asked = Date.now();
      const { status } = await fetch(platform.url + path, { headers });
      if (status === 200)
        assert.ok(asked <= row.at.getTime(), `it still lived ${asked - row.at.getTime()} ms after its end`);
      else assert.ok(Date.now() >= row.at.getTime(), 'it died too early');
      return status === 401;
    });
  });

  test('keys and users are refused after their company is suspended', async () => {
    const company = await platform.createCompany();
    const user = await platform.createUser(company._id, 'OWNER');
    const status = async (key: string): Promise<number> =>
      (await fetch(`${platform.url}/v1/webhooks`, { headers: { authorization: `Bearer ${key}` } })).status;
    assert.deepEqual([await status(company.key), await status(user.token)], [200, 200]);
    await database.sql(`update companies set status = 'SUSPENDED' where _id = $1`, [company._id]);
    for (const key of [company.key, user.token])
      await waitUntil('the caller to be refused', async () => (await status(key)) === 401);
  });

  test('a user’s token without an expiry, or with a past one, is refused', async () => {
    const user = await platform.createUser(demo._id, 'OWNER');
    const claims = { type: 'user', company: demo._id, role: 'OWNER', sv: 0, jti: user._id };
    await refused(await signToken(jwtSecret, user._id, claims));
    await refused(await signToken(jwtSecret, user._id, { ...claims, exp: Math.floor(Date.now() / 1000) - 1 }));
    const other = await platform.createCompany();
    const exp = Math.floor(Date.now() / 1000) + 3_600;
    await refused(await signToken(jwtSecret, user._id, { ...claims, company: other._id, exp }));
  });
});

describe('the look-up of keys', () => {
  const previousSecret = 'the secret before';
  const keyId = newId();
  const key: StoredKey = {
    _id: keyId,
    company: demo._id,
    type: 'company',
    name: 'one',
    scopes: ['*'],
    expires_at: '2100-01-01T00:00:00.000Z',
  };
  const sign = async (): Promise<string> =>
    `Bearer ${await signToken(jwtSecret, keyId, { jti: newId(), type: 'company', company: demo._id, scopes: [] })}`;
  /** Creates an authenticator whose source always returns `key`, and counts the look-ups. */
  const open = (source: Partial<PrincipalSource> = {}) => {
    const seen = { lookups: 0 };
    const findKey = async (): Promise<StoredKey | null> => {
      seen.lookups += 1;
      return key;
    };
    const secrets = { current: jwtSecret, previous: previousSecret };
    const nobody = async (): Promise<null> => null;
    const authenticator = createAuthenticator(secrets, {
      findKey,
      findUser: nobody,
      findSession: nobody,
      findApp: nobody,
      ...source,
    });
    const auth = {
      ...authenticator,
      authenticate: (authorization: string) => authenticator.authenticate({ authorization, session: null }),
    };
    return { seen, auth };
  };

  test('an authenticated key has the name, scopes and expiry of its stored record', async () => {
    const { auth } = open();
    assert.deepEqual(await auth.authenticate(await sign()), {
      type: 'company',
      id: keyId,
      companyId: demo._id,
      name: 'one',
      scopes: ['*'],
      expiresAt: key.expires_at,
    });
  });

  test('a key is looked up in the database at most once a second, and again after forget()', async (t) => {
    const { auth, seen } = open();
    const token = await sign();
    const passMs = stopClock(t);
    for (let index = 0; index < 5; index += 1) await auth.authenticate(token);
    assert.equal(seen.lookups, 1);
    auth.forget();
    await auth.authenticate(token);
    passMs(999);
    await auth.authenticate(token);
    assert.equal(seen.lookups, 2);
    passMs(1);
    await auth.authenticate(token);
    assert.equal(seen.lookups, 3);
  });

  test('a cached key expires in time even if the clock of the machine is set back', async (t) => {
    const { auth, seen } = open();
    const token = await sign();
    const passMs = stopClock(t);
    await auth.authenticate(token);
    const { now } = Date;
    t.mock.method(Date, 'now', () => now() - 20_000);
    passMs(1_000);
    await auth.authenticate(token);
    assert.equal(seen.lookups, 2);
  });

  test('a look-up that began before forget() is not cached when it ends afterwards', async () => {
    const slow = Promise.withResolvers<StoredKey | null>();
    let lookups = 0;
    const { auth } = open({
      findKey: () => {
        lookups += 1;
        return lookups === 1 ? slow.promise : Promise.resolve(null);
      },
    });
    const token = await sign();
    const early = auth.authenticate(token);
    await waitUntil('the look-up to begin', () => lookups === 1);
    // The key is revoked now, and the look-up that began before returns the old record afterwards.
    auth.forget();
    slow.resolve(key);
    await early;
    await assert.rejects(auth.authenticate(token), { code: 'UNAUTHORIZED' });
  });

  test('a short token that the platform made is looked up, with the previous secret too, and no other one is', async () => {
    const { auth, seen } = open();
    assert.equal((await auth.authenticate(`Bearer ${makeShortKey(jwtSecret)}`)).id, keyId);
    assert.equal((await auth.authenticate(`Bearer ${makeShortKey(previousSecret)}`)).id, keyId);
    const own = makeShortKey(jwtSecret);
    const changed = own.slice(0, 20) + (own[20] === 'A' ? 'B' : 'A') + own.slice(21);
    for (const token of [makeShortKey('another'), changed, own.slice(1), own.slice(0, -1), `${own}A`])
      await assert.rejects(auth.authenticate(`Bearer ${token}`), { code: 'UNAUTHORIZED' });
    assert.equal(seen.lookups, 2);
  });

  test('the use of a key is stored once a minute, and a failure to store it does not refuse the request', async (t) => {
    const passMs = stopClock(t);
    const notedIds: string[] = [];
    const { auth, seen } = open({
      noteUse: async ({ _id }) => {
        notedIds.push(_id);
        throw new Error('the database is away');
      },
    });
    for (let index = 0; index < 3; index += 1) {
      auth.forget();
      await auth.authenticate(await sign());
    }
    assert.equal(seen.lookups, 3);
    assert.deepEqual(notedIds, [keyId]);
    passMs(60_000);
    await auth.authenticate(await sign());
    assert.deepEqual(notedIds, [keyId, keyId]);
  });
});

test('the last use of a key is stored to the minute', async () => {
  const key = await platform.createKey(demo._id, ['*']);
  const lastUsed = async (): Promise<Date | null> => {
    const rows = await database.sql<{ at: Date | null }>('select last_used_at as at from api_keys where _id = $1', [
      key._id,
    ]);
    return rows[0]?.at ?? null;
  };
  assert.equal(await lastUsed(), null);
  await platform.call(200, 'GET', path, { key: key.token });
  await waitUntil('the use to be noted', lastUsed);
  const system = platform.running.kit.database.system('upkeep');
  const used = { _id: key._id, company: demo._id };
  assert.equal(await storeLastUse(system, used), 0, 'noted a moment ago');
  await database.sql(`update api_keys set last_used_at = now() - interval '61 seconds' where _id = $1`, [key._id]);
  assert.equal(await storeLastUse(system, { ...used, company: null }), 0, 'of nobody else');
  assert.equal(await storeLastUse(system, used), 1);
});

test('a key that one process revokes is refused by another process within a second', async (t) => {
  const key = await platform.createKey(demo._id, ['inboxes:read']);
  const second = await startSecondProcess(platform);
  const ask = async (): Promise<number> =>
    (await fetch(second.url + path, { headers: { authorization: `Bearer ${key.token}` } })).status;
  const passMs = stopClock(t);
  assert.equal(await ask(), 200);
  await platform.call(200, 'DELETE', `/v1/api-keys/${key._id}`);
  await refused(key.token);
  passMs(1_000);
  assert.equal(await ask(), 401);
});

test('a token secret can be replaced without interruption: its tokens are accepted as long as it is the previous secret', async () => {
  const after = 'the secret that came after it, 2';
  const ask = async (url: string | null, token: string): Promise<number> =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).status;
  const { token } = await platform.createKey(demo._id, ['inboxes:read']);
  assert.equal(await ask(platform.url, token), 200);
  const second = await startSecondProcess(platform, { JWT_SECRET: after, JWT_SECRET_PREVIOUS: jwtSecret });
  assert.equal(await ask(second.url, token), 200);
  assert.equal(await ask(second.url, await signSession(after)), 200);
  assert.equal(await ask(platform.url, await signSession(after)), 401, 'a secret to come');
  const third = await startSecondProcess(platform, { JWT_SECRET: after });
  assert.equal(await ask(third.url, token), 401);
  assert.equal(await ask(third.url, await signSession(after)), 200);
  // A replaced secret is also refused when a process with outdated settings names the newer secret as its previous one.
  for (const JWT_SECRET_PREVIOUS of [undefined, after]) {
    const settings = { JWT_SECRET: jwtSecret, ...(JWT_SECRET_PREVIOUS ? { JWT_SECRET_PREVIOUS } : {}) };
    await assert.rejects(startSecondProcess(platform, settings), /this JWT_SECRET was replaced by a newer one/);
  }
});

/** Signs a session token of an owner of the demo company with this secret. */
async function signSession(secret: string): Promise<string> {
  const user = await platform.createUser(demo._id, 'OWNER');
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  return signToken(secret, user._id, { type: 'user', company: demo._id, role: 'OWNER', sv: 0, jti: newId(), exp });
}

describe('the scopes of a caller', () => {
  const create = { body: { url: 'http://x', events: [] } };

  test('a missing scope is answered with 403 and named', async () => {
    const { token: key } = await platform.createKey(demo._id, ['inboxes:read']);
    await platform.call(200, 'GET', path, { key });
    const { body } = await platform.call(403, 'PUT', path, { key, body: {} });
    const message = 'The scope inboxes:update is missing';
    assert.deepEqual([body.code, body.detail], ['FORBIDDEN', message]);
    assert.deepEqual(body.errors, [{ path: 'authorization', code: 'SCOPE_MISSING', message }]);
    // The scope is checked before the body and before the record.
    await platform.call(403, 'POST', '/v1/webhooks', { key, raw: '{' });
    await platform.call(403, 'PUT', `/v1/inboxes/${'0'.repeat(24)}`, { key, body: {} });
  });

  test('each webhook operation requires exactly its own scope', async () => {
    const id = '0'.repeat(24);
    const operations = [
      ['webhooks:create', 'POST', '/v1/webhooks', 400],
      ['webhooks:read', 'GET', '/v1/webhooks', 200],
      ['webhooks:update', 'PUT', `/v1/webhooks/${id}`, 404],
      ['webhooks:delete', 'DELETE', `/v1/webhooks/${id}`, 404],
    ] as const;
    for (const [scope, method, target, status] of operations) {
      const body = method === 'POST' ? create : method === 'PUT' ? { body: {} } : {};
      const { token: key } = await platform.createKey(demo._id, [scope]);
      await platform.call(status, method, target, { key, ...body });
      const others = operations.map(([name]) => name).filter((name) => name !== scope);
      const { token } = await platform.createKey(demo._id, others);
      const answer = await platform.call(403, method, target, { key: token, ...body });
      assert.equal(answer.body.detail, `The scope ${scope} is missing`);
    }
  });

  test('a scope may be a wildcard for one resource or for all, for company and global keys', async () => {
    for (const company of [demo._id, null]) {
      const headers = { 'x-company-id': demo._id };
      for (const scope of ['*', 'inboxes:*']) {
        const { token: key } = await platform.createKey(company, [scope]);
        await platform.call(200, 'PUT', path, { key, headers, body: {} });
      }
      const { token: key } = await platform.createKey(company, ['inbox:*', 'webhooks:*', '*:read', 'inboxes']);
      await platform.call(403, 'GET', path, { key, headers });
    }
  });

  test('a user’s scopes come from the stored role and not from the token', async () => {
    const rights = {
      OWNER: [200, 200, 200],
      ADMIN: [200, 200, 200],
      OPERATOR: [200, 403, 403],
      VIEWER: [200, 403, 403],
    } as const;
    for (const role of ['OWNER', 'ADMIN', 'OPERATOR', 'VIEWER'] as const) {
      const user = await platform.createUser(demo._id, role);
      const exp = Math.floor(Date.now() / 1000) + 3_600;
      const claims = { type: 'user', company: demo._id, role: 'OWNER', sv: 0, jti: 'x', exp };
      for (const key of [user.token, await signToken(jwtSecret, user._id, claims)]) {
        const [read, write, webhooks] = rights[role];
        await platform.call(read, 'GET', path, { key });
        await platform.call(write, 'PUT', path, { key, body: {} });
        await platform.call(webhooks, 'GET', '/v1/webhooks', { key });
      }
    }
  });
});
