import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { startPlatform, type Answer, type CallOptions, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { GRANTABLE } from '../../platform/values/scopes.ts';

const platform = await startPlatform();
const { database, demo, globalKey } = platform;
const PATH = '/v1/api-keys';
const FIELDS = ['_id', 'company', 'name', 'type', 'hint', 'scopes', 'created_by'];
const TIMES = ['expires_at', 'last_used_at', 'revoked_at', 'createdAt', 'updatedAt'];

/** The body of a request for a company key that may read contacts; `given` replaces fields of it. */
const keyBody = (given: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'CRM',
  type: 'company',
  scopes: ['contacts:read'],
  ...given,
});
const create = (status: number, given: Record<string, unknown> = {}, options: CallOptions = {}): Promise<Answer> =>
  platform.call(status, 'POST', PATH, { body: keyBody(given), ...options });
const tokenWith = async (...scopes: string[]): Promise<string> => (await platform.createKey(demo._id, scopes)).token;
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();
const acting = (company: string): Record<string, string> => ({ 'x-company-id': company });
const listIds = async (options: CallOptions): Promise<string[]> => {
  const { body } = await platform.call(200, 'GET', `${PATH}?limit=100`, options);
  return (body.result as Json[]).map((key) => key._id as string);
};

describe('a new key', () => {
  test('a new key may do what its scopes allow, from now on, and nothing else', async () => {
    const { body } = await create(201, { scopes: ['inboxes:read', 'webhooks:*'] });
    assert.deepEqual(Object.keys(body).toSorted(), [...FIELDS, ...TIMES, 'token'].toSorted());
    const { _id, hint, token, createdAt, updatedAt, ...rest } = body;
    assert.match(_id, /^[0-9a-f]{24}$/);
    assert.equal(hint, token.slice(-4));
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      company: demo._id,
      name: 'CRM',
      type: 'company',
      scopes: ['inboxes:read', 'webhooks:*'],
      created_by: (await platform.call(200, 'GET', '/v1/auth/me')).body.key._id,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    });
    await platform.call(200, 'GET', `/v1/inboxes/${demo.inbox}`, { key: token });
    await platform.call(200, 'GET', '/v1/webhooks', { key: token });
    expectProblem(await platform.call(403, 'GET', PATH, { key: token }), 'FORBIDDEN');
    expectProblem(await create(403, {}, { key: token }), 'FORBIDDEN');
  });

  test('the token of a new key is shown once: only its hash is stored, and no list shows the token again', async () => {
    const { body } = await create(201, { name: 'Shown once' });
    const list = await platform.call(200, 'GET', `${PATH}?limit=100`);
    const listed = (list.body.result as Json[]).find((key) => key._id === body._id);
    assert.deepEqual(Object.keys(listed).toSorted(), [...FIELDS, ...TIMES].toSorted());
    const [, claims = '', signature = ''] = (body.token as string).split('.');
    const [row] = await database.sql<{ row: string; hash: Buffer }>(
      'select k::text as row, token_hash as hash from api_keys k where _id = $1',
      [body._id],
    );
    assert.deepEqual(row?.hash, createHash('sha256').update(body.token).digest());
    for (const part of [claims, signature]) {
      assert.ok(!row?.row.includes(part), 'the token is in the database');
      assert.ok(!JSON.stringify(list.body).includes(part), 'the token is in the list');
    }
  });

  test('a key may have every scope by name, and its token is still short enough for a header', async () => {
    const { body } = await create(201, { scopes: GRANTABLE, expires_at: '9999-12-31T23:59:59.000Z' });
    assert.deepEqual(body.scopes, GRANTABLE);
    await platform.call(200, 'GET', PATH, { key: body.token });
  });

  test('creating a key answers 400 for each mistake in the body and names the field', async () => {
    for (const [given, path] of [
      [{ scopes: ['contacts:read', 'contacts:fly'] }, 'scopes[1]'],
      [{ scopes: ['everything'] }, 'scopes[0]'],
      [{ scopes: ['*:read'] }, 'scopes[0]'],
      [{ scopes: ['contacts:read', 'contacts:read'] }, 'scopes'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: 'contacts:read' }, 'scopes'],
      [{ scopes: undefined }, 'scopes'],
      [{ type: 'user' }, 'type'],
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(201) }, 'name'],
      [{ expires_at: inSeconds(-1) }, 'expires_at'],
      [{ expires_at: 'tomorrow' }, 'expires_at'],
      [{ company: demo._id }, 'company'],
      [{ token: 'of my own' }, 'token'],
    ] as const) {
      expectProblem(await create(400, given), 'VALIDATION_FAILED', path);
    }
    await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'api-keys:create', body: keyBody() });
  });
});

describe('who made a key', () => {
  const listMadeBy = async (id: string, options: CallOptions = {}): Promise<Json> =>
    (await platform.call(200, 'GET', `${PATH}?created_by=${id}`, options)).body;

  test('created_by names the user or key that made a key, even after that user or key is removed; it is null for a key that the operator made', async () => {
    const admin = await platform.createUser(demo._id, 'ADMIN');
    const { body: first } = await create(201, { scopes: ['api-keys:*', 'contacts:read'] }, { key: admin.token });
    assert.equal(first.created_by, admin._id);
    const { body: second } = await create(201, {}, { key: first.token });
    assert.equal(second.created_by, first._id);
    const operator = { key: globalKey, headers: acting(demo._id) };
    assert.equal((await create(201, {}, operator)).body.created_by, null);
    await platform.call(200, 'DELETE', `/v1/users/${admin._id}`);
    await waitUntil('the user to be gone', async () => {
      const rows = await database.sql('select from users where _id = $1', [admin._id]);
      return rows.length === 0;
    });
    const { result, meta } = await listMadeBy(admin._id);
    assert.deepEqual([result.map(({ _id }: Json) => _id), meta.totalCount], [[first._id], 1]);
  });

  test('the list of keys can be filtered by the user or key that made them; an unknown id and an id of another company are refused alike', async () => {
    const { body: maker } = await create(201, { scopes: ['api-keys:*', 'contacts:read'] });
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) made.push((await create(201, {}, { key: maker.token })).body._id);
    const { result, meta } = await listMadeBy(maker._id);
    assert.deepEqual(
      result.map(({ _id }: Json) => _id),
      made.toReversed(),
    );
    assert.equal(meta.totalCount, 3);
    const idle = await platform.createUser(demo._id, 'VIEWER');
    assert.deepEqual((await listMadeBy(idle._id)).result, []);
    const other = await platform.createCompany();
    const stranger = await platform.createUser(other._id, 'ADMIN');
    for (const id of [newId(), stranger._id, other.keyId]) {
      const refused = await platform.call(400, 'GET', `${PATH}?created_by=${id}`);
      expectProblem(refused, 'UNKNOWN_REFERENCE', 'created_by');
    }
    expectProblem(await platform.call(400, 'GET', `${PATH}?created_by=me`), 'VALIDATION_FAILED', 'created_by');
  });

  test('the list of global keys can be filtered by the global key that made them', async () => {
    const body = keyBody({ type: 'global', scopes: ['*'] });
    const { body: maker } = await platform.call(201, 'POST', PATH, { key: globalKey, body });
    const { body: made } = await platform.call(201, 'POST', PATH, { key: maker.token, body });
    assert.equal(made.created_by, maker._id);
    const { result } = await listMadeBy(maker._id, { key: globalKey });
    assert.deepEqual(
      result.map(({ _id }: Json) => _id),
      [made._id],
    );
  });
});

describe('a key never grants more than its creator may do', () => {
  const everyAction = ['create', 'read', 'update', 'delete'].map((action) => `contacts:${action}`);
  const everyResource = GRANTABLE.filter((scope) => scope.endsWith(':*'));

  for (const [what, granted, wanted, refusedAt] of [
    ['one scope of a wildcard that it has', ['contacts:*'], ['contacts:read', 'contacts:delete'], null],
    ['a wildcard that it has', ['contacts:*'], ['contacts:*'], null],
    ['a wildcard when it has every action of it', everyAction, ['contacts:*'], null],
    ['everything when it has every resource', everyResource, ['*'], null],
    ['everything when it has everything', ['*'], ['*', 'contacts:read'], null],
    ['a scope that it does not have', ['contacts:*'], ['contacts:read', 'messages:read'], 1],
    ['a wildcard when it has only some actions of it', everyAction.slice(1), ['contacts:*'], 0],
    ['everything when it has one resource', ['contacts:*'], ['*'], 0],
    ['everything when it lacks one resource', everyResource.slice(1), ['*'], 0],
    ['another action of a resource that it may only read', ['contacts:read'], ['contacts:update'], 0],
  ] as const) {
    test(`a key ${refusedAt === null ? 'may give' : 'is refused, with the scope named, when it gives'} a new key ${what}`, async () => {
      const key = await tokenWith('api-keys:create', ...granted);
      const answer = await create(refusedAt === null ? 201 : 403, { scopes: wanted }, { key });
      if (refusedAt === null) assert.deepEqual(answer.body.scopes, wanted);
      else expectProblem(answer, 'FORBIDDEN', `scopes[${refusedAt}]`);
    });
  }

  test('a key that expires makes only keys that expire no later', async () => {
    const end = inSeconds(3_600);
    const { body } = await create(201, { scopes: ['api-keys:create', 'contacts:read'], expires_at: end });
    assert.equal(body.expires_at, end);
    const key = body.token as string;
    for (const given of [{}, { expires_at: null }, { expires_at: inSeconds(3_700) }]) {
      expectProblem(await create(403, given, { key }), 'FORBIDDEN', 'expires_at');
    }
    assert.equal((await create(201, { expires_at: end }, { key })).body.expires_at, end);
    await create(201, { expires_at: inSeconds(60) }, { key });
  });

  test('a user gives a key what the role allows: an owner everything, an admin all but companies, the others no key at all', async () => {
    const as = async (role: 'OWNER' | 'ADMIN' | 'OPERATOR' | 'VIEWER'): Promise<string> =>
      (await platform.createUser(demo._id, role)).token;
    const admin = await as('ADMIN');
    assert.equal((await create(201, { scopes: ['*'] }, { key: await as('OWNER') })).body.company, demo._id);
    await create(201, { scopes: ['api-keys:*', 'companies:update', 'users:*'] }, { key: admin });
    for (const scope of ['*', 'companies:*', 'companies:create', 'companies:delete']) {
      expectProblem(await create(403, { scopes: [scope] }, { key: admin }), 'FORBIDDEN', 'scopes[0]');
    }
    for (const role of ['OPERATOR', 'VIEWER'] as const) {
      const key = await as(role);
      const answers = [await create(403, {}, { key }), await platform.call(403, 'GET', PATH, { key })];
      for (const answer of answers) {
        expectProblem(answer, 'FORBIDDEN');
        assert.equal(answer.body.errors[0].code, 'SCOPE_MISSING');
      }
    }
  });
});

describe('the life of a key', () => {
  test('a short token has 46 characters, works like any other until its key is revoked, and is stored only as its hash', async () => {
    const { body } = await create(201, { scopes: ['webhooks:read'], format: 'SHORT' });
    const { token: key, _id, hint } = body;
    assert.match(key, /^pk_[\w-]{43}$/);
    assert.equal(hint, key.slice(-4));
    await platform.call(200, 'GET', '/v1/webhooks', { key });
    expectProblem(await platform.call(403, 'GET', '/v1/inboxes', { key }), 'FORBIDDEN');
    const [row] = await database.sql<{ row: string }>('select k::text as row from api_keys k where _id = $1', [_id]);
    assert.ok(!row?.row.includes(key.slice(3, 30)));
    await platform.call(200, 'DELETE', `${PATH}/${_id}`);
    expectProblem(await platform.call(401, 'GET', '/v1/webhooks', { key }), 'UNAUTHORIZED');
    expectProblem(await create(400, { format: 'LONG' }), 'VALIDATION_FAILED', 'format');
  });

  test('last_used_at of a key is the moment of its last use', async () => {
    const { body } = await create(201, { scopes: ['webhooks:read'] });
    const started = Date.now();
    await platform.call(200, 'GET', '/v1/webhooks', { key: body.token });
    const used = await waitUntil('the use to be noted', async () => {
      const [row] = await database.sql<{ at: Date | null }>('select last_used_at as at from api_keys where _id = $1', [
        body._id,
      ]);
      return row?.at;
    });
    assert.ok(started <= used.getTime() && used.getTime() <= Date.now());
    const { result } = (await platform.call(200, 'GET', `${PATH}?limit=100`)).body;
    const listed = (result as Json[]).find((key) => key._id === body._id);
    assert.equal(listed.last_used_at, used.toISOString());
  });

  test('a revoked key is refused at once; its record stays, and a second revocation changes nothing', async () => {
    const { body } = await create(201, { scopes: ['webhooks:read', 'api-keys:*'] });
    const { token: key, _id } = body;
    await platform.call(200, 'GET', '/v1/webhooks', { key });
    // The key revokes itself, because every holder of a key may give the key up.
    const revoked = (await platform.call(200, 'DELETE', `${PATH}/${_id}`, { key })).body;
    assert.ok(Date.parse(revoked.revoked_at) >= Date.parse(revoked.createdAt));
    assert.ok(!('token' in revoked));
    const refusal = await platform.call(401, 'GET', '/v1/webhooks', { key });
    expectProblem(refusal, 'UNAUTHORIZED');
    assert.equal(refusal.headers.get('www-authenticate'), 'Bearer');
    const again = (await platform.call(200, 'DELETE', `${PATH}/${_id}`)).body;
    assert.equal(again.revoked_at, revoked.revoked_at);
    assert.ok((await listIds({})).includes(_id));
  });
});

describe("a company's keys", () => {
  test('the keys of a company are listed newest first, in pages, and only to that company', async () => {
    const company = await platform.createCompany();
    for (const name of ['one', 'two', 'three']) await create(201, { name }, { key: company.key });
    const first = (await platform.call(200, 'GET', `${PATH}?limit=2`, { key: company.key })).body;
    const after = encodeURIComponent(first.meta.nextCursor);
    const second = (await platform.call(200, 'GET', `${PATH}?limit=2&after=${after}`, { key: company.key })).body;
    const names = [...first.result, ...second.result].map((key: Json) => key.name as string);
    assert.deepEqual(names, ['three', 'two', 'one', 'test']);
    assert.equal(first.meta.totalCount, 4);
    assert.equal(second.meta.hasNextPage, false);
    const others = new Set(await listIds({}));
    assert.ok([...first.result, ...second.result].every((key: Json) => !others.has(key._id)));
  });
});

describe('a global key', () => {
  const GLOBAL = { type: 'global', scopes: ['contacts:read', 'api-keys:read'] };

  test('a global key makes and manages global keys without naming a company, and no company key sees them', async () => {
    const { body } = await create(201, GLOBAL, { key: globalKey });
    assert.equal(body.company, null);
    assert.equal(body.type, 'global');
    // The new global key may list keys, and finds itself among the global keys.
    assert.ok((await listIds({ key: body.token })).includes(body._id));
    for (const options of [{}, { key: globalKey, headers: acting(demo._id) }]) {
      assert.ok(!(await listIds(options)).includes(body._id));
      expectProblem(await platform.call(404, 'DELETE', `${PATH}/${body._id}`, options), 'NOT_FOUND');
    }
    const revoked = (await platform.call(200, 'DELETE', `${PATH}/${body._id}`, { key: globalKey })).body;
    assert.notEqual(revoked.revoked_at, null);
    expectProblem(await platform.call(401, 'GET', PATH, { key: body.token }), 'UNAUTHORIZED');
  });

  test('a global key makes and manages the keys of the company that it names', async () => {
    const { _id: company } = await platform.createCompany();
    const asked = { key: globalKey, headers: acting(company) };
    const { body } = await create(201, { scopes: ['webhooks:read'] }, asked);
    assert.equal(body.company, company);
    await platform.call(200, 'GET', '/v1/webhooks', { key: body.token });
    const listed = await listIds(asked);
    assert.ok(listed.includes(body._id) && listed.length === 2);
    // Only requests that name the company find a key of the company.
    expectProblem(await platform.call(404, 'DELETE', `${PATH}/${body._id}`, { key: globalKey }), 'NOT_FOUND');
    await platform.call(200, 'DELETE', `${PATH}/${body._id}`, asked);
    const made = (await create(201, GLOBAL, asked)).body;
    assert.equal(made.company, null, 'a global key is nobody’s, whichever company was named');
  });

  test('a global key that makes a company key must name a company that exists', async () => {
    expectProblem(await create(400, {}, { key: globalKey }), 'COMPANY_ID_REQUIRED');
    for (const id of [newId(), 'nonsense', demo._id.toUpperCase()]) {
      const asked = { key: globalKey, headers: acting(id) };
      expectProblem(await create(404, {}, asked), 'NOT_FOUND');
      expectProblem(await create(404, GLOBAL, asked), 'NOT_FOUND');
      expectProblem(await platform.call(404, 'GET', PATH, asked), 'NOT_FOUND');
    }
  });

  test('a global key is made by a global key only, and never has more scopes than that one', async () => {
    const owner = (await platform.createUser(demo._id, 'OWNER')).token;
    for (const key of [demo.key, owner]) {
      const asked = { key, headers: acting(demo._id) };
      expectProblem(await create(403, GLOBAL, asked), 'FORBIDDEN', 'type');
    }
    const small = (await platform.createKey(null, ['api-keys:create', 'contacts:read'])).token;
    expectProblem(await create(403, GLOBAL, { key: small }), 'FORBIDDEN', 'scopes[1]');
    const given = { ...GLOBAL, scopes: ['contacts:read'] };
    await create(201, given, { key: small });
  });
});

test('an expires_at that JavaScript and PostgreSQL do not read as the same time is answered 400 with the field named', async () => {
  const moments = [
    '2099-01-01T00:00:00+01',
    '2099-12-31T23:59:60Z',
    '2099-01-01T00:00:00-23:59',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-01:00',
    '2099-02-30T00:00:00Z',
  ];
  for (const moment of moments) {
    const body = { name: 'k', type: 'company', scopes: ['inboxes:read'], expires_at: moment };
    expectProblem(await platform.call(400, 'POST', '/v1/api-keys', { body }), 'VALIDATION_FAILED', 'expires_at');
    const path = `/v1/audit?from=${encodeURIComponent(moment)}`;
    expectProblem(await platform.call(400, 'GET', path), 'VALIDATION_FAILED', 'from');
  }
});

test('a key that expires cannot grant lasting access: it creates, changes and removes no user, and creates no company', async () => {
  const end = new Date(Date.now() + 3_600_000).toISOString();
  const made = async (key: string, type: string): Promise<string> =>
    (
      await platform.call(201, 'POST', '/v1/api-keys', {
        key,
        body: { name: 'k', type, scopes: ['*'], expires_at: end },
      })
    ).body.token;
  const [company, global] = [await made(demo.key, 'company'), await made(platform.globalKey, 'global')];
  const person = { name: 'Ana', email: `${newId()}@example.test`, role: 'OWNER' };
  expectProblem(await platform.call(403, 'POST', '/v1/users', { key: company, body: person }), 'FORBIDDEN');
  const { role: _role, ...owner } = person;
  expectProblem(
    await platform.call(403, 'POST', '/v1/companies', { key: global, body: { name: 'x', owner } }),
    'FORBIDDEN',
  );
});
