/** Two-factor log-in: codes, recovery codes, the rule of a company that requires it, and the reset by an administrator. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TOTP } from 'otpauth';
import {
  acceptInvitation,
  createPerson,
  forgetPassword,
  FROM_PAGE,
  logIn,
  PASSWORD,
  readMailToken,
  resetPassword,
  waitForMail,
  type Person,
} from '../../../test/support/people.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startPlatform, type Answer, type Json, type Platform } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import type { UserRole } from '../../platform/values/scopes.ts';
import { createLogInLink } from '../users/log-in-links.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
const PATH = '/v1/auth/second-factor';
const STEP_MS = 30_000;

interface Protected extends Person {
  secret: string;
  /** The code that has set it up. */
  used: string;
  recovery: string[];
}

/** The code that an authenticator app shows, or the one that it shows `ahead` steps later. */
const makeCode = (secret: string, ahead = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + ahead * STEP_MS });

async function setUp(person: Person, at: Platform = platform): Promise<Protected> {
  const { call: ask } = at;
  const { body: begun } = await ask(200, 'POST', `${PATH}/begin`, { key: person.token });
  const used = makeCode(begun.secret);
  const { body: made } = await ask(200, 'POST', PATH, { key: person.token, body: { password: PASSWORD, code: used } });
  // The first mail to the person; later ones are awaited by their number.
  await waitForMail(at, person.email);
  return { ...person, secret: begun.secret, used, recovery: made.recovery_codes };
}

/** Sets up the second factor of a new person, and waits for the mail about it, so that later mails come behind it. */
async function protect(role: UserRole = 'OPERATOR', company = demo._id): Promise<Protected> {
  const person = await setUp(await createPerson(platform, company, role));
  await waitForMail(platform, person.email);
  return person;
}

function tryLogIn(status: number, person: Person, code?: string, { call: ask }: Platform = platform): Promise<Answer> {
  const body = { email: person.email, password: PASSWORD, code };
  return ask(status, 'POST', '/v1/auth/login', { key: null, body });
}

function expectCodeRefusal(answer: Answer, code: 'REQUIRED' | 'INVALID'): void {
  expectProblem(answer, 'SECOND_FACTOR_REQUIRED', 'code');
  assert.equal(answer.body.errors[0].code, code);
}

describe('a log-in with a second factor', () => {
  test('after the right password the log-in asks for a code, for a token as for a session; a wrong password is refused as ever', async () => {
    const ana = await protect();
    expectCodeRefusal(await tryLogIn(401, ana), 'REQUIRED');
    const body = { email: ana.email, password: PASSWORD };
    const inBrowser = { key: null, headers: FROM_PAGE };
    const refused = await call(401, 'POST', '/v1/auth/session', { ...inBrowser, body });
    expectCodeRefusal(refused, 'REQUIRED');
    assert.equal(refused.headers.get('set-cookie'), null);
    const code = makeCode(ana.secret, 1);
    const wrong = { ...body, password: 'another password', code };
    expectProblem(await call(401, 'POST', '/v1/auth/login', { key: null, body: wrong }), 'INVALID_CREDENTIALS');
    const opened = await call(200, 'POST', '/v1/auth/session', { ...inBrowser, body: { ...body, code } });
    assert.match(opened.headers.get('set-cookie') ?? '', /^parley_session=[\w-]{43};/);
    assert.equal(opened.body.user.second_factor, true);
  });

  test('a code works once: neither the same code nor an earlier one logs in again', async () => {
    const ana = await protect();
    expectCodeRefusal(await tryLogIn(401, ana, ana.used), 'INVALID');
    const next = makeCode(ana.secret, 1);
    const both = await Promise.all([1, 2].map(() => logInWithCode(ana, next)));
    assert.deepEqual(
      both.toSorted((a, b) => a - b),
      [200, 401],
    );
    expectCodeRefusal(await tryLogIn(401, ana, next), 'INVALID');
    // It was never used, and the step is still accepted from a phone whose clock is slow.
    expectCodeRefusal(await tryLogIn(401, ana, makeCode(ana.secret, -1)), 'INVALID');
  });

  test('a recovery code works once, however it is typed, and new ones replace the others', async () => {
    const { recovery, ...ana } = await protect();
    const [first = '', second = '', third = '', fourth = ''] = recovery;
    assert.equal(new Set(recovery).size, 10);
    await tryLogIn(200, ana, first.toUpperCase().replaceAll('-', ' '));
    expectCodeRefusal(await tryLogIn(401, ana, first), 'INVALID');
    const renew = (status: number, body: object): Promise<Answer> =>
      call(status, 'POST', `${PATH}/recovery-codes`, { key: ana.token, body });
    const refused = await renew(400, { password: 'another password', code: second });
    expectProblem(refused, 'VALIDATION_FAILED', 'password');
    const { body: renewed } = await renew(200, { password: PASSWORD, code: second });
    expectCodeRefusal(await tryLogIn(401, ana, third), 'INVALID');
    expectProblem(await renew(400, { password: PASSWORD, code: fourth }), 'VALIDATION_FAILED', 'code');
    await tryLogIn(200, ana, renewed.recovery_codes[0]);
    const { body: state } = await call(200, 'GET', PATH, { key: ana.token });
    assert.deepEqual(state, { enabled: true, required: false, recovery_codes_left: 9, has_password: true });
  });

  test('wrong codes are counted against the account more strictly than passwords, and a refused one is in the audit', async () => {
    const limited = await startPlatform({ env: { RATE_LIMIT_LOGIN: '6' } });
    const ana = await setUp(await createPerson(limited, limited.demo._id, 'VIEWER'), limited);
    for (const _try of [1, 2]) expectCodeRefusal(await tryLogIn(401, ana, '000000', limited), 'INVALID');
    expectProblem(await tryLogIn(429, ana, ana.recovery[0], limited), 'RATE_LIMITED');
    const find = '/v1/audit?action=auth.login-refused&limit=10';
    // The platform answers a refused log-in before it writes the audit entry.
    await waitUntil('both entries', async () => {
      const { result } = (await limited.call(200, 'GET', find, { key: limited.demo.key })).body;
      return result.length === 2 && result.every(({ resource_id }: Json) => resource_id === ana._id);
    });
  });

  test('a new password keeps the second factor', async () => {
    const ana = await protect();
    await forgetPassword(platform, ana.email);
    await resetPassword(platform, 200, readMailToken(await waitForMail(platform, ana.email, 2)), PASSWORD);
    expectCodeRefusal(await tryLogIn(401, ana), 'REQUIRED');
    await tryLogIn(200, ana, ana.recovery[0]);
  });

  test('no link logs in a person with a second factor, whether it was made before or after', async () => {
    const person = await createPerson(platform, demo._id, 'OPERATOR');
    const link = { company: demo._id, email: person.email, seconds: 600 };
    const make = () => platform.running.kit.database.systemTx('upkeep', (tx) => createLogInLink(tx, link));
    const token = await make();
    assert.ok(token);
    await setUp(person);
    const open = { key: null, headers: FROM_PAGE, body: { token } };
    expectProblem(await call(400, 'POST', '/v1/auth/session/link', open), 'INVALID_RESET_TOKEN');
    assert.equal(await make(), null);
  });

  test('the second factor belongs to the person in all companies, and the secret and the codes are not stored as they are', async () => {
    const other = await platform.createCompany();
    const ana = await protect();
    const invitation = { name: 'Ana', email: ana.email, role: 'VIEWER' };
    const { body: invited } = await call(201, 'POST', '/v1/users', { key: other.key, body: invitation });
    // A company that has only invited the person learns nothing about them.
    assert.equal(invited.second_factor, false);
    await acceptInvitation(platform, 200, readMailToken(await waitForMail(platform, ana.email, 2)));
    assert.equal((await call(200, 'GET', `/v1/users/${invited._id}`, { key: other.key })).body.second_factor, true);
    const body = { email: ana.email, password: PASSWORD, company: other._id };
    expectCodeRefusal(await call(401, 'POST', '/v1/auth/login', { key: null, body }), 'REQUIRED');
    const [stored] = await database.sql('select people::text as text from people where email = $1', [ana.email]);
    for (const secret of [ana.secret, ...ana.recovery]) assert.ok(!String(stored?.['text']).includes(secret));
  });
});

const logInWithCode = async ({ email }: Person, code: string): Promise<number> => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email, password: PASSWORD, code });
  return (await fetch(`${platform.url}/v1/auth/login`, { method: 'POST', headers, body })).status;
};

describe('setting it up', () => {
  test('nothing changes before the first right code, and a second set-up has to turn the first one off', async () => {
    const ana = await createPerson(platform, demo._id, 'VIEWER');
    const begin = (status: number): Promise<Answer> => call(status, 'POST', `${PATH}/begin`, { key: ana.token });
    const enable = (status: number, code: string): Promise<Answer> =>
      call(status, 'POST', PATH, { key: ana.token, body: { password: PASSWORD, code } });
    expectProblem(await enable(400, '000000'), 'VALIDATION_FAILED', 'code');
    const { body: begun } = await begin(200);
    assert.match(begun.uri, new RegExp(`^otpauth://totp/Parley:.*secret=${begun.secret}`));
    expectProblem(await enable(400, '000000'), 'VALIDATION_FAILED', 'code');
    await logIn(platform, 200, ana.email);
    await enable(200, makeCode(begun.secret));
    expectProblem(await begin(409), 'SECOND_FACTOR_EXISTS');
    expectProblem(await enable(409, makeCode(begun.secret)), 'SECOND_FACTOR_EXISTS');
  });

  test('turning it on needs the password, and the person is mailed that it was turned on and off', async () => {
    const ana = await createPerson(platform, demo._id, 'OPERATOR');
    const { body: begun } = await call(200, 'POST', `${PATH}/begin`, { key: ana.token });
    const code = makeCode(begun.secret);
    const enable = (status: number, body: object): Promise<Answer> =>
      call(status, 'POST', PATH, { key: ana.token, body: { code, ...body } });
    expectProblem(await enable(400, {}), 'VALIDATION_FAILED', 'password');
    expectProblem(await enable(400, { password: 'another password' }), 'VALIDATION_FAILED', 'password');
    const { body: made } = await enable(200, { password: PASSWORD });
    assert.match((await waitForMail(platform, ana.email)).subject ?? '', /foi ativada/);
    const proof = { password: PASSWORD, code: made.recovery_codes[0] };
    await call(200, 'POST', `${PATH}/disable`, { key: ana.token, body: proof });
    assert.match((await waitForMail(platform, ana.email, 2)).subject ?? '', /^Você desativou/);
  });

  test('turning it off needs the password and a code', async () => {
    const ana = await protect();
    const turnOff = (status: number, body: object): Promise<Answer> =>
      call(status, 'POST', `${PATH}/disable`, { key: ana.token, body });
    const code = makeCode(ana.secret, 1);
    expectProblem(await turnOff(400, { password: 'another password', code }), 'VALIDATION_FAILED', 'password');
    expectProblem(await turnOff(400, { password: PASSWORD, code: '000000' }), 'VALIDATION_FAILED', 'code');
    const { body: state } = await turnOff(200, { password: PASSWORD, code });
    assert.deepEqual(state, { enabled: false, required: false, recovery_codes_left: 0, has_password: true });
    await logIn(platform, 200, ana.email);
    expectProblem(await turnOff(404, { password: PASSWORD, code }), 'NOT_FOUND');
  });

  test('an API key has no second factor', async () => {
    expectProblem(await call(403, 'GET', PATH), 'FORBIDDEN');
    expectProblem(await call(403, 'POST', `${PATH}/begin`), 'FORBIDDEN');
  });
});

describe('a company that requires it', () => {
  const require = (status: number, key: string, company: string, second_factor_required = true): Promise<Answer> =>
    call(status, 'PATCH', `/v1/companies/${company}`, { key, body: { second_factor_required } });

  test('users without a second factor can only set it up, with every token and session, until they have', async () => {
    const company = await platform.createCompany();
    const ana = await protect('OWNER', company._id);
    const bia = await createPerson(platform, company._id, 'ADMIN');
    const read = (status: number, path = '/v1/contacts'): Promise<Answer> =>
      call(status, 'GET', path, { key: bia.token });
    await read(200);
    assert.equal((await require(200, ana.token, company._id)).body.second_factor_required, true);
    for (const path of ['/v1/contacts', '/v1/connected-apps', '/v1/live'])
      expectProblem(await read(403, path), 'SECOND_FACTOR_MISSING');
    const rename = { key: bia.token, body: { name: 'Bia' } };
    expectProblem(await call(403, 'PATCH', '/v1/auth/me', rename), 'SECOND_FACTOR_MISSING');
    const mcp = { key: bia.token, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } };
    expectProblem(await call(403, 'POST', '/mcp', mcp), 'SECOND_FACTOR_MISSING');
    const { body: session } = await logIn(platform, 200, bia.email);
    const { body: me } = await call(200, 'GET', '/v1/auth/me', { key: session.access_token });
    assert.deepEqual([me.lacks_second_factor, me.scopes], [true, []]);
    assert.deepEqual((await read(200, PATH)).body, {
      enabled: false,
      required: true,
      recovery_codes_left: 0,
      has_password: true,
    });
    await setUp(bia);
    await read(200);
    assert.equal((await read(200, '/v1/auth/me')).body.lacks_second_factor, undefined);
    // Keys act for no user.
    await call(200, 'GET', '/v1/contacts', { key: company.key });
  });

  test('only an owner or admin who has a second factor decides it, and no key', async () => {
    const company = await platform.createCompany();
    const bia = await createPerson(platform, company._id, 'OWNER');
    const operator = await protect('OPERATOR', company._id);
    for (const key of [bia.token, company.key, platform.globalKey])
      expectProblem(await require(403, key, company._id), 'FORBIDDEN', 'second_factor_required');
    expectProblem(await require(403, operator.token, company._id), 'FORBIDDEN', 'authorization');
    // A record that is sent back as it was read changes nothing.
    await require(200, company.key, company._id, false);
    await setUp(bia);
    await require(200, bia.token, company._id);
  });
});

describe('the reset by an administrator', () => {
  const reset = (status: number, id: string, key: string, headers = {}): Promise<Answer> =>
    call(status, 'DELETE', `/v1/users/${id}/second-factor`, { key, headers });

  test('it removes the second factor, ends the sessions of the user, mails the user, and is in the audit', async () => {
    const company = await platform.createCompany();
    const admin = await createPerson(platform, company._id, 'ADMIN');
    const ana = await protect('OPERATOR', company._id);
    assert.equal((await reset(200, ana._id, admin.token)).body.second_factor, false);
    expectProblem(await call(401, 'GET', '/v1/auth/me', { key: ana.token }), 'UNAUTHORIZED');
    await logIn(platform, 200, ana.email);
    assert.match((await waitForMail(platform, ana.email, 2)).text ?? '', /Um administrador de .* desativou/);
    const find = '/v1/audit?action=users.reset-second-factor&limit=10';
    const { body: audit } = await call(200, 'GET', find, { key: company.key });
    assert.deepEqual(
      audit.result.map(({ actor, resource_id }: Json) => [actor._id, resource_id]),
      [[admin._id, ana._id]],
    );
    expectProblem(await reset(404, ana._id, admin.token), 'NOT_FOUND');
  });

  test('an admin resets neither an owner nor themselves, and only the operator a person of several companies', async () => {
    const company = await platform.createCompany();
    const admin = await protect('ADMIN', company._id);
    const owner = await protect('OWNER', company._id);
    expectProblem(await reset(403, owner._id, admin.token), 'FORBIDDEN', 'role');
    expectProblem(await reset(403, admin._id, admin.token), 'FORBIDDEN', 'id');
    const ana = await protect('VIEWER', company._id);
    expectProblem(await reset(404, ana._id, demo.key), 'NOT_FOUND');
    const body = { name: 'Ana', email: ana.email, role: 'VIEWER' };
    await call(201, 'POST', '/v1/users', { body });
    await acceptInvitation(platform, 200, readMailToken(await waitForMail(platform, ana.email, 2)));
    expectProblem(await reset(403, ana._id, admin.token), 'FORBIDDEN', 'id');
    await reset(200, ana._id, platform.globalKey, { 'x-company-id': company._id });
    await logIn(platform, 200, ana.email);
  });
});
