/** The users of a company: records, lists, who may give which role, the last owner, and what happens when a user is removed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createPerson,
  forgetPassword,
  freshEmail,
  logIn,
  readMailToken,
  waitForMail,
} from '../../../test/support/people.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { checkAnswers500, checkRefusals, checkAnswers503, expectProblem } from '../../../test/support/refusals.ts';
import { ROLE_SCOPES, USER_ROLES, type UserRole } from '../../platform/values/scopes.ts';

const platform = await startPlatform();
const { call, demo } = platform;

const UNKNOWN_ID = 'f'.repeat(24);
const somebody = (more: object = {}): Json => ({ name: 'Ana Souza', email: freshEmail(), role: 'VIEWER', ...more });

interface Caller {
  key: string;
}

/** Invites a user, and leaves out the link of the invitation, which no later answer has. */
async function create(status: number, { key }: Caller, body: unknown) {
  const answer = await call(status, 'POST', '/v1/users', { key, body });
  const { invitation_link: _link, ...record } = answer.body;
  return { ...answer, body: record };
}
const change = (status: number, { key }: Caller, id: string, body: unknown) =>
  call(status, 'PATCH', `/v1/users/${id}`, { key, body });
const remove = (status: number, { key }: Caller, id: string) => call(status, 'DELETE', `/v1/users/${id}`, { key });
const readUser = async ({ key }: Caller, id: string): Promise<Json> =>
  (await call(200, 'GET', `/v1/users/${id}`, { key })).body;

/** Creates a company with one user of each of these roles. */
async function createCompanyWith<R extends UserRole>(...roles: R[]) {
  const company = await platform.createCompany();
  const people = await Promise.all(
    roles.map(async (role) => {
      const person = await createPerson(platform, company._id, role);
      return [role, { ...person, key: person.token }] as const;
    }),
  );
  return { ...company, people: Object.fromEntries(people) as Record<R, (typeof people)[number][1]> };
}

describe('the record of a user', () => {
  test('POST of a user answers 201 with the whole record, INVITED, and nothing about a password', async () => {
    const company = await platform.createCompany();
    const { body } = await create(201, company, {
      name: 'Ana',
      email: 'Ana@Example.test',
      role: 'ADMIN',
      language: 'en',
    });
    const { _id, createdAt, updatedAt, ...rest } = body;
    assert.match(_id, /^[0-9a-f]{24}$/);
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(rest, {
      company: company._id,
      name: 'Ana',
      email: 'Ana@Example.test',
      role: 'ADMIN',
      status: 'INVITED',
      language: 'en',
      availability: 'ONLINE',
      avatar_url: null,
      signature: null,
      last_login_at: null,
      second_factor: false,
      single_sign_on: false,
    });
    assert.deepEqual(await readUser(company, _id), body);
    assert.deepEqual((await remove(200, company, _id)).body, { ...body, api_keys: [] });
  });

  test('PATCH of a user changes the given fields and leaves the rest', async () => {
    const company = await platform.createCompany();
    const { body: before } = await create(201, company, somebody());
    const avatar_url = 'https://pictures.example/bia.png';
    const changes = {
      name: 'Bia',
      email: freshEmail('bia'),
      role: 'OPERATOR',
      language: 'es',
      avatar_url,
      signature: 'Bia',
    };
    for (const [field, value] of Object.entries(changes)) {
      const { body } = await change(200, company, before._id, { [field]: value });
      assert.equal(body[field], value);
    }
    const { updatedAt, ...after } = await readUser(company, before._id);
    assert.ok(updatedAt > before.updatedAt);
    assert.deepEqual({ ...after, updatedAt: '' }, { ...before, ...changes, updatedAt: '' });
    assert.equal((await change(200, company, before._id, {})).body.name, 'Bia');
    const { body } = await change(400, company, before._id, { avatar_url: 'javascript:alert(1)' });
    assert.equal(body.errors[0].path, 'avatar_url');
    assert.equal((await change(200, company, before._id, { avatar_url: null })).body.avatar_url, null);
  });

  test('a missing, wrong, unknown or read-only field of a user is answered 400 with its name', async () => {
    const company = await platform.createCompany();
    for (const [field, ...wrong] of [
      ['name', undefined, '', '   ', null, 7, 'x'.repeat(201)],
      [
        'email',
        undefined,
        '',
        'ana',
        'ana@',
        '@x.test',
        'a b@x.test',
        null,
        'a@b.test, c@d.test',
        `${'x'.repeat(250)}@x.test`,
      ],
      ['role', undefined, '', 'owner', 'ROOT', null, ['OWNER']],
      ['language', '', 'pt', 'de', null],
      ['status', 'ACTIVE', 'INVITED'],
      ['password', 'correct horse battery'],
      ['session_version', 1],
      ['company', demo._id],
      ['_id', UNKNOWN_ID],
    ]) {
      for (const value of wrong) {
        const problem = await create(400, company, somebody({ [field as string]: value }));
        expectProblem(problem, 'VALIDATION_FAILED', field as string);
      }
    }
    const { body } = await create(201, company, somebody());
    for (const [field, value] of [
      ['status', 'INVITED'],
      ['password', 'correct horse battery'],
      ['last_login_at', null],
      ['email', null],
      ['company', demo._id],
    ] as const) {
      expectProblem(await change(400, company, body._id, { [field]: value }), 'VALIDATION_FAILED', field);
    }
    assert.deepEqual(await readUser(company, body._id), body);
  });

  test('an e-mail in any case belongs to at most one user of a company, even when many requests use it at once; other companies may use it, too', async () => {
    const [company, other] = [await platform.createCompany(), await platform.createCompany()];
    const email = freshEmail('Unique');
    const taken = await create(201, company, somebody({ email }));
    await create(201, other, somebody({ email }));
    expectProblem(await create(409, company, somebody({ email: email.toUpperCase() })), 'USER_EXISTS', 'email');
    const { body: second } = await create(201, company, somebody());
    expectProblem(await change(409, company, second._id, { email: email.toLowerCase() }), 'USER_EXISTS', 'email');
    await change(200, company, taken.body._id, { email: email.toLowerCase() });
    const raced = freshEmail('raced');
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const headers = {
          authorization: `Bearer ${(index % 2 ? company : other).key}`,
          'content-type': 'application/json',
        };
        const body = JSON.stringify(somebody({ email: raced }));
        return (await fetch(`${platform.url}/v1/users`, { method: 'POST', headers, body })).status;
      }),
    );
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [201, 201, ...Array.from({ length: 8 }, () => 409)],
    );
    await remove(200, company, taken.body._id);
    await create(201, company, somebody({ email }));
  });
});

describe('the list of users', () => {
  test('the list of users has the company’s own users, the newest first, in pages, by status and by role', async () => {
    const company = await createCompanyWith('OWNER', 'OPERATOR');
    const invited: Json[] = [];
    for (const role of ['ADMIN', 'VIEWER', 'VIEWER']) {
      invited.push((await create(201, company, somebody({ role }))).body);
    }
    await change(200, company, company.people.OPERATOR._id, { status: 'INACTIVE' });
    const list = async (query: string): Promise<Json> =>
      (await call(200, 'GET', `/v1/users?${query}`, { key: company.key })).body;
    const all = await list('');
    assert.deepEqual(
      all.result.slice(0, 3).map(({ _id }: Json) => _id),
      invited.map(({ _id }) => _id).toReversed(),
    );
    assert.equal(all.meta.totalCount, 5);
    assert.ok(all.result.every((user: Json) => user.company === company._id && !('password_hash' in user)));
    for (const [query, count] of [
      ['status=INVITED', 3],
      ['status=ACTIVE', 1],
      ['status=INACTIVE', 1],
      ['role=VIEWER', 2],
      ['role=VIEWER&status=ACTIVE', 0],
    ] as const) {
      const { result, meta } = await list(query);
      assert.deepEqual([result.length, meta.totalCount], [count, count], query);
    }
    const walked: string[] = [];
    for (let after = ''; ;) {
      const page = await list(`limit=2&sort=createdAt${after}`);
      walked.push(...page.result.map(({ _id }: Json) => _id));
      if (!page.meta.hasNextPage) break;
      after = `&after=${page.meta.nextCursor}`;
    }
    assert.deepEqual(walked, all.result.map(({ _id }: Json) => _id).toReversed());
    expectProblem(await call(400, 'GET', '/v1/users?role=ROOT', { key: company.key }), 'VALIDATION_FAILED', 'role');
  });
});

describe('the role of a user', () => {
  // The roles that each role may give, and whose users it may change: never a role that has more rights.
  const GIVES: Record<UserRole, UserRole[]> = {
    OWNER: ['OWNER', 'ADMIN', 'OPERATOR', 'VIEWER'],
    ADMIN: ['ADMIN', 'OPERATOR', 'VIEWER'],
    OPERATOR: [],
    VIEWER: [],
  };

  for (const giver of USER_ROLES) {
    test(`a user who is ${giver} gives, changes and removes ${GIVES[giver].join(', ') || 'no role'}`, async () => {
      const company = await createCompanyWith('OWNER', 'ADMIN', 'OPERATOR', 'VIEWER');
      const caller = company.people[giver];
      for (const role of USER_ROLES) {
        const may = GIVES[giver].includes(role);
        await create(may ? 201 : 403, caller, somebody({ role }));
        const { body: target } = await create(201, company, somebody({ role }));
        await change(may ? 200 : 403, caller, target._id, { name: 'Changed' });
        const { body: novice } = await create(201, company, somebody());
        await change(may ? 200 : 403, caller, novice._id, { role });
        await remove(may ? 200 : 403, caller, target._id);
        if (!may) assert.deepEqual(await readUser(company, target._id), target);
      }
    });
  }

  test('a role that the caller may not give is refused with the field named; an ADMIN changes nothing about an OWNER, not even the e-mail', async () => {
    const { people } = await createCompanyWith('OWNER', 'ADMIN');
    expectProblem(await create(403, people.ADMIN, somebody({ role: 'OWNER' })), 'FORBIDDEN', 'role');
    for (const body of [{ email: freshEmail() }, { name: 'x' }, { status: 'INACTIVE' }, { role: 'VIEWER' }, {}]) {
      expectProblem(await change(403, people.ADMIN, people.OWNER._id, body), 'FORBIDDEN', 'role');
    }
    expectProblem(await change(403, people.ADMIN, people.ADMIN._id, { role: 'OWNER' }), 'FORBIDDEN', 'role');
  });

  test('a key gives a role only if the key may do everything that the role may', async () => {
    const company = await platform.createCompany();
    const few = await platform.createKey(company._id, ['users:*', 'contacts:*']);
    expectProblem(await create(403, { key: few.token }, somebody()), 'FORBIDDEN', 'role');
    const viewer = await platform.createKey(company._id, ['users:create', ...ROLE_SCOPES.VIEWER]);
    await create(201, { key: viewer.token }, somebody());
    await create(403, { key: viewer.token }, somebody({ role: 'OPERATOR' }));
    const headers = { 'x-company-id': company._id };
    await call(201, 'POST', '/v1/users', { key: platform.globalKey, headers, body: somebody({ role: 'OWNER' }) });
  });

  test('a user who loses a role loses its rights at once, even in an open session', async () => {
    const { people } = await createCompanyWith('OWNER', 'ADMIN');
    const body = somebody();
    await create(201, people.ADMIN, body);
    await change(200, people.OWNER, people.ADMIN._id, { role: 'VIEWER' });
    await create(403, people.ADMIN, somebody());
    assert.equal((await call(200, 'GET', '/v1/auth/me', { key: people.ADMIN.token })).body.role, 'VIEWER');
  });
});

describe('the last owner', () => {
  test('the last owner cannot be removed, deactivated or given another role; other fields can change', async () => {
    const { people } = await createCompanyWith('OWNER', 'ADMIN');
    const { OWNER } = people;
    expectProblem(await remove(409, OWNER, OWNER._id), 'LAST_OWNER');
    expectProblem(await change(409, OWNER, OWNER._id, { status: 'INACTIVE' }), 'LAST_OWNER');
    expectProblem(await change(409, OWNER, OWNER._id, { role: 'ADMIN' }), 'LAST_OWNER');
    // The person at the new address has not accepted an invitation yet, so the company would be left without an owner.
    expectProblem(await change(409, OWNER, OWNER._id, { email: freshEmail() }), 'LAST_OWNER');
    assert.equal((await change(200, OWNER, OWNER._id, { name: 'Still', role: 'OWNER' })).body.status, 'ACTIVE');
  });

  test('an owner counts as the last owner while all other owners are only invited or inactive', async () => {
    const company = await createCompanyWith('OWNER');
    const { OWNER } = company.people;
    const { body: invited } = await create(201, OWNER, somebody({ role: 'OWNER' }));
    expectProblem(await remove(409, OWNER, OWNER._id), 'LAST_OWNER');
    await remove(200, OWNER, invited._id);
    const second = await createPerson(platform, company._id, 'OWNER');
    await change(200, OWNER, second._id, { status: 'INACTIVE' });
    expectProblem(await remove(409, OWNER, OWNER._id), 'LAST_OWNER');
    await change(200, OWNER, second._id, { status: 'ACTIVE' });
    await remove(200, OWNER, OWNER._id);
    expectProblem(await remove(409, company, second._id), 'LAST_OWNER');
  });

  for (const [how, act] of [
    ['remove', (key: string, id: string) => fetchStatus('DELETE', key, id)],
    ['deactivate', (key: string, id: string) => fetchStatus('PATCH', key, id, { status: 'INACTIVE' })],
    ['demote', (key: string, id: string) => fetchStatus('PATCH', key, id, { role: 'VIEWER' })],
  ] as const) {
    test(`the last owner stays: of owners who ${how} each other at the same moment one is answered LAST_OWNER`, async () => {
      for (let round = 0; round < 5; round += 1) {
        const company = await platform.createCompany();
        const owners = await Promise.all(Array.from({ length: 4 }, () => platform.createUser(company._id, 'OWNER')));
        const statuses = await Promise.all(owners.map(({ _id }) => act(company.key, _id)));
        assert.deepEqual(
          statuses.toSorted((a, b) => a - b),
          [200, 200, 200, 409],
        );
        const { body } = await call(200, 'GET', '/v1/users?role=OWNER&status=ACTIVE', { key: company.key });
        assert.equal(body.meta.totalCount, 1);
      }
    });
  }
});

async function fetchStatus(method: string, key: string, id: string, body?: object): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  const given = body ? { body: JSON.stringify(body) } : {};
  const response = await fetch(`${platform.url}/v1/users/${id}`, { method, headers, ...given });
  await response.arrayBuffer();
  return response.status;
}

describe('a user who is removed or deactivated', () => {
  test('a removed or deactivated user loses access at once: no session, log-in or link works', async () => {
    for (const go of [
      remove,
      (status: number, caller: Caller, id: string) => change(status, caller, id, { status: 'INACTIVE' }),
    ]) {
      const person = await createPerson(platform, demo._id, 'ADMIN');
      const session = (await logIn(platform, 200, person.email)).body.access_token;
      await forgetPassword(platform, person.email);
      const token = readMailToken(await waitForMail(platform, person.email));
      await call(200, 'GET', '/v1/auth/me', { key: session });
      await go(200, demo, person._id);
      for (const key of [session, person.token]) await call(401, 'GET', '/v1/auth/me', { key });
      await logIn(platform, 401, person.email);
      const body = { token, new_password: 'another one entirely' };
      expectProblem(await call(400, 'POST', '/v1/auth/reset-password', { key: null, body }), 'INVALID_RESET_TOKEN');
    }
  });

  test('a user who is activated again has the old password and none of the old sessions', async () => {
    const person = await createPerson(platform, demo._id, 'OPERATOR');
    const session = (await logIn(platform, 200, person.email)).body.access_token;
    await change(200, demo, person._id, { status: 'INACTIVE' });
    assert.equal((await change(200, demo, person._id, { status: 'ACTIVE' })).body.status, 'ACTIVE');
    for (const key of [session, person.token]) await call(401, 'GET', '/v1/auth/me', { key });
    await logIn(platform, 200, person.email);
  });
});

describe('the keys of a user who is removed or gets fewer rights', () => {
  const body = { name: 'Till', type: 'company', scopes: ['api-keys:*', 'contacts:read'] };
  const make = async (key: string): Promise<Json> => (await call(201, 'POST', '/v1/api-keys', { key, body })).body;
  const withoutToken = ({ token: _token, ...key }: Json): Json => ({ ...key, last_used_at: null });
  const shown = (answer: Answer): Json[] => (answer.body.api_keys as Json[]).map(withoutToken);
  /** Creates an admin with a key, a second key that this key made, and a key that another user made. */
  async function createAdminWithKeys() {
    const company = await createCompanyWith('OWNER', 'ADMIN');
    const { ADMIN: admin } = company.people;
    const first = await make(admin.key);
    const second = await make(first.token);
    const foreign = await make(company.people.OWNER.key);
    const revoked = await make(admin.key);
    await call(200, 'DELETE', `/v1/api-keys/${revoked._id}`, { key: company.key });
    return { company, admin, first, second, foreign };
  }
  const WAYS: [string, string, object?][] = [
    ['removed', 'DELETE'],
    ['deactivated', 'PATCH', { status: 'INACTIVE' }],
    ['demoted', 'PATCH', { role: 'VIEWER' }],
  ];

  for (const [how, method, given] of WAYS) {
    const options = given ? { body: given } : {};

    test(`the answer shows the keys of a user who is ${how}, also keys that those keys made, and they stay valid`, async () => {
      const { company, admin, first, second, foreign } = await createAdminWithKeys();
      const answer = await call(200, method, `/v1/users/${admin._id}`, { key: company.key, ...options });
      assert.deepEqual(shown(answer), [second, first].map(withoutToken));
      for (const { token } of [first, second, foreign]) await call(200, 'GET', '/v1/auth/me', { key: token });
    });

    test(`the keys of a user who is ${how} with revoke_keys=true are revoked at once, recorded in the audit and shown in the answer; other keys stay`, async () => {
      const { company, admin, first, second, foreign } = await createAdminWithKeys();
      const path = `/v1/users/${admin._id}?revoke_keys=true`;
      const answer = await call(200, method, path, { key: company.key, ...options });
      assert.deepEqual(
        shown(answer).map(({ _id, revoked_at }) => [_id, revoked_at !== null]),
        [second, first].map(({ _id }) => [_id, true]),
      );
      for (const { token } of [first, second]) await call(401, 'GET', '/v1/auth/me', { key: token });
      await call(200, 'GET', '/v1/auth/me', { key: foreign.token });
      for (const { _id } of [first, second]) {
        const { body: lines } = await call(200, 'GET', `/v1/audit?resource=${_id}`, { key: company.key });
        assert.equal(lines.result[0].action, 'api-keys.delete');
      }
    });
  }

  test('answers to other changes leave the user’s keys out, and a caller without the scopes is neither shown them nor revokes them', async () => {
    const { company, admin, first } = await createAdminWithKeys();
    const { body: renamed } = await change(200, company, admin._id, { name: 'Ada', role: 'ADMIN' });
    assert.ok(!('api_keys' in renamed));
    const few = await platform.createKey(company._id, ['users:*', ...ROLE_SCOPES.OPERATOR]);
    const operator = await platform.createUser(company._id, 'OPERATOR');
    const { body: deactivated } = await change(200, { key: few.token }, operator._id, { status: 'INACTIVE' });
    assert.ok(!('api_keys' in deactivated));
    const most = ['create', 'read', 'update'].map((action) => `api-keys:${action}`);
    const scopes = [...ROLE_SCOPES.ADMIN.filter((scope) => scope !== 'api-keys:*'), ...most];
    const reader = { key: (await platform.createKey(company._id, scopes)).token };
    const path = `/v1/users/${admin._id}?revoke_keys=true`;
    const refused = await call(403, 'DELETE', path, reader);
    expectProblem(refused, 'FORBIDDEN', 'revoke_keys');
    await call(200, 'GET', '/v1/auth/me', { key: first.token });
  });
});

describe('operations on users', () => {
  const body = { name: 'Ana', email: 'never@example.test', role: 'VIEWER' };
  for (const asked of [
    { method: 'POST', path: '/v1/users', scope: 'users:create', body },
    { method: 'GET', path: '/v1/users', scope: 'users:read' },
    { method: 'GET', path: `/v1/users/${UNKNOWN_ID}`, scope: 'users:read' },
    { method: 'PATCH', path: `/v1/users/${UNKNOWN_ID}`, scope: 'users:update', body: { name: 'Ana' } },
    { method: 'DELETE', path: `/v1/users/${UNKNOWN_ID}`, scope: 'users:delete' },
  ]) {
    test(`${asked.method} ${asked.path} refuses callers without a token or the scope, and malformed requests`, () =>
      checkRefusals(platform, asked));
  }

  test('operations on users answer 503 while the database does not answer, and 500 without details at a defect', async () => {
    const asked = [
      { method: 'GET', path: '/v1/users', scope: 'users:read' },
      { method: 'POST', path: '/v1/users', scope: 'users:create', body },
    ];
    await checkAnswers503(platform, ['users'], asked);
    await checkAnswers500(platform, 'users.language', asked);
  });
});
