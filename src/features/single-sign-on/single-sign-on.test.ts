/** Single sign-on: what a company sets, and who is logged in by its provider. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { stopClock } from '../../../test/support/clock.ts';
import { createJar, type Jar } from '../../../test/support/cookies.ts';
import { TOTP } from 'otpauth';
import { createAuthenticator } from '../../../test/support/authenticator.ts';
import { CLIENT, startProvider, type Behaviour } from '../../../test/support/openid.ts';
import { createPerson, FROM_PAGE, freshEmail, PASSWORD } from '../../../test/support/people.ts';
import {
  ROOMY,
  startPlatform,
  UNLIMITED,
  type Answer,
  type Company,
  type Json,
} from '../../../test/support/platform.ts';
import { findPort } from '../../../test/support/ports.ts';
import { expectProblem } from '../../../test/support/refusals.ts';

const platform = await startPlatform({ env: { ...UNLIMITED, ...ROOMY } });
const { call, database } = platform;
const provider = await startProvider();
const PATH = '/v1/single-sign-on';

let companies = 0;
let company: Company;
let domain: string;
let jar: Jar;

beforeEach(async () => {
  companies += 1;
  domain = `acme-${companies}.test`;
  company = await platform.createCompany(`Acme ${companies}`);
  jar = createJar(platform);
  provider.behave();
});

const makeSettings = (more: object): object => ({
  issuer: provider.issuer,
  ...CLIENT,
  domains: [domain],
  enabled: true,
  ...more,
});

const set = (status: number, more: object = {}, key = platform.globalKey, of = company): Promise<Answer> =>
  call(status, 'PUT', PATH, { key, headers: { 'x-company-id': of._id }, body: makeSettings(more) });

/** Sends a request of the log-in page. */
const send = (status: number, path: string, body: object): Promise<Answer> => jar.send(status, 'POST', path, { body });

const begin = (status: number, email: string): Promise<Answer> => send(status, '/v1/auth/single-sign-on', { email });

/** Follows the redirects of the provider and returns the query with which it opens the redirect URI. */
async function visitProvider(address: string, { running } = platform): Promise<string> {
  const answer = await fetch(address, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  assert.equal(`${back.origin}${back.pathname}`, `${running.kit.config.PUBLIC_URL}/console/single-sign-on`);
  return back.search.slice(1);
}

const finish = (status: number, body: object): Promise<Answer> => send(status, '/v1/auth/session/single-sign-on', body);

/** Goes the whole way, with a provider that behaves differently. */
async function logIn(status: number, email: string, behaviour: Partial<Behaviour> = {}): Promise<Answer> {
  provider.behave({ claims: { sub: email, email, email_verified: true }, ...behaviour });
  const { body } = await begin(200, email);
  return finish(status, { query: await visitProvider(body.redirect_to) });
}

async function expectReason(answer: Promise<Answer>, reason: string): Promise<void> {
  const problem = await answer;
  expectProblem(problem, 'SINGLE_SIGN_ON_FAILED', 'single_sign_on');
  assert.equal(problem.body.errors[0].code, reason, problem.body.detail);
}

/** Creates a user of the company with an address of its domain. */
async function createColleague(role: 'OWNER' | 'ADMIN' | 'OPERATOR' = 'OPERATOR', of = company): Promise<Json> {
  const person = await createPerson(platform, of._id, role);
  const email = `${person._id}@${domain}`;
  await database.sql('update people set email = $2 where email = lower($1)', [person.email, email]);
  await database.sql('update users set email = $2 where _id = $1', [person._id, email]);
  return { ...person, email };
}

const readActions = async (): Promise<string[]> => {
  const { body } = await call(200, 'GET', '/v1/audit?limit=50', { key: company.key });
  return body.result.map(({ action }: Json) => action);
};

describe('the settings', () => {
  test('they are stored without showing the secret, which goes to no other provider', async () => {
    const { body: blank } = await call(200, 'GET', PATH, { key: company.key });
    assert.deepEqual([blank.issuer, blank.enabled, blank.has_client_secret], [null, false, false]);
    const { body } = await set(200);
    assert.deepEqual(
      [body.issuer, body.has_client_secret, body.create_users, body.role],
      [provider.issuer, true, false, 'VIEWER'],
    );
    assert.ok(!JSON.stringify(body).includes(CLIENT.client_secret));
    const [row] = await database.sql('select client_secret from single_sign_on where company_id = $1', [company._id]);
    assert.match(String(row?.['client_secret']), /^v1:/);
    await set(200, { client_secret: undefined, create_users: true });
    const moved = await set(400, { client_secret: undefined, issuer: `${provider.issuer}/other` });
    expectProblem(moved, 'VALIDATION_FAILED', 'client_secret');
    const { body: removed } = await call(200, 'DELETE', PATH, { key: company.key });
    assert.deepEqual([removed.issuer, removed.enabled], [null, false]);
    const actions = await readActions();
    assert.deepEqual(actions.slice(0, 2), ['companies.remove-single-sign-on', 'companies.set-single-sign-on']);
  });

  test('only callers with all rights of an owner change them, because the provider decides who logs in', async () => {
    const [admin, owner] = [await createColleague('ADMIN'), await createColleague('OWNER')];
    expectProblem(await set(403, {}, admin.token), 'FORBIDDEN');
    expectProblem(await call(403, 'DELETE', PATH, { key: admin.token }), 'FORBIDDEN');
    await set(200, {}, owner.token);
    const viewer = await createPerson(platform, company._id, 'VIEWER');
    await call(403, 'GET', PATH, { key: viewer.token });
  });

  test('a new domain is added only by an owner whose own address is on it, or by the operator', async () => {
    const stranger = await createPerson(platform, company._id, 'OWNER');
    for (const key of [company.key, stranger.token]) {
      const refused = await set(400, {}, key);
      expectProblem(refused, 'VALIDATION_FAILED', 'domains[0]');
      assert.equal(refused.body.errors[0].code, 'DOMAIN_NOT_PROVEN');
    }
    const owner = await createColleague('OWNER');
    await database.sql('update users set accepted_at = null where _id = $1', [owner._id]);
    await set(400, {}, owner.token);
    await database.sql('update users set accepted_at = now() where _id = $1', [owner._id]);
    expectProblem(await set(400, { domains: [domain, `x.${domain}`] }, owner.token), 'VALIDATION_FAILED', 'domains[1]');
    await set(200, {}, owner.token);
    // What is there stays.
    await set(200, { create_users: true }, stranger.token);
  });

  test('only a caller who has a second factor, or the operator, lets the provider replace the required one', async () => {
    await set(200, { satisfies_second_factor: false });
    await database.sql('update companies set second_factor_required = true where _id = $1', [company._id]);
    expectProblem(
      await set(403, { satisfies_second_factor: true }, company.key),
      'FORBIDDEN',
      'satisfies_second_factor',
    );
    await set(200, { satisfies_second_factor: false }, company.key);
    await set(200, { satisfies_second_factor: true });
  });

  test('a domain belongs to one company, and none to a public mail service', async () => {
    await set(200);
    const other = await platform.createCompany();
    const taken = await set(400, {}, platform.globalKey, other);
    expectProblem(taken, 'VALIDATION_FAILED', 'domains');
    assert.equal(taken.body.errors[0].code, 'DOMAIN_TAKEN');
    expectProblem(await set(400, { domains: [domain, 'gmail.com'] }), 'VALIDATION_FAILED', 'domains[1]');
    expectProblem(await set(400, { domains: [] }), 'VALIDATION_FAILED', 'domains');
  });

  test('a provider at a private address is refused, as for every other outgoing call', async () => {
    const refused = await set(400, { issuer: 'http://10.0.0.1' });
    expectProblem(refused, 'TARGET_NOT_ALLOWED', 'issuer');
    expectProblem(await set(400, { issuer: 'http://example.com' }), 'TARGET_NOT_ALLOWED', 'issuer');
    // The description of an allowed provider can name any address.
    provider.behave({ describe: { token_endpoint: 'http://10.0.0.1/token' } });
    await set(200);
    const ana = await createColleague();
    const way = await begin(200, ana.email);
    await expectReason(finish(403, { query: await visitProvider(way.body.redirect_to) }), 'PROVIDER');
  });

  test('the test of the connection says what is wrong', async () => {
    await set(200);
    const check = async (): Promise<Json> => (await call(200, 'POST', `${PATH}/test`, { key: company.key })).body;
    const good = await check();
    const authorization_endpoint = `${provider.issuer}/authorize`;
    assert.deepEqual(good, { ok: true, reason: null, problem: null, authorization_endpoint });
    provider.behave({ describe: { issuer: 'https://another.example' } });
    const { ok, reason, problem } = await check();
    assert.deepEqual([ok, reason], [false, 'OTHER_ISSUER']);
    assert.match(problem, /issuer/);
    provider.behave({ describe: { authorization_endpoint: undefined } });
    assert.equal((await check()).reason, 'INCOMPLETE');
    await database.sql(`update single_sign_on set issuer = 'http://10.0.0.1' where company_id = $1`, [company._id]);
    assert.equal((await check()).reason, 'NOT_ALLOWED');
    // A port of this machine on which no server listens.
    const issuer = `http://127.0.0.1:${await findPort()}`;
    await database.sql('update single_sign_on set issuer = $2 where company_id = $1', [company._id, issuer]);
    assert.equal((await check()).reason, 'UNREACHABLE');
    await database.sql('update single_sign_on set issuer = $2 where company_id = $1', [
      company._id,
      `${platform.url}/no`,
    ]);
    assert.equal((await check()).reason, 'NOT_OPENID');
  });
});

describe('a log-in', () => {
  test('a user is logged in and linked with the account at the provider, which decides from then on', async () => {
    await set(200);
    const ana = await createColleague();
    const { body } = await logIn(200, ana.email);
    assert.equal(body.user._id, ana._id);
    const cookie = `parley_session=${jar.cookies.get('parley_session')}`;
    const me = await call(200, 'GET', '/v1/auth/me', { key: null, headers: { ...FROM_PAGE, cookie } });
    assert.equal(me.body.user._id, ana._id);
    assert.equal(jar.cookies.get('parley_sso'), '');
    assert.deepEqual((await readActions()).slice(0, 2).toSorted(), ['auth.link-single-sign-on', 'auth.login']);
    // Another address at the provider changes nothing.
    const later = await logIn(200, ana.email, { claims: { sub: ana.email, email: 'new@elsewhere.test' } });
    assert.equal(later.body.user._id, ana._id);
    const other = { sub: 'another account', email: ana.email, email_verified: true };
    await expectReason(logIn(403, ana.email, { claims: other }), 'LINKED_OTHERWISE');
  });

  test('elliptic keys count as well', async () => {
    const elliptic = await startProvider('ES256');
    await set(200, { issuer: elliptic.issuer });
    const ana = await createColleague();
    elliptic.behave({ claims: { sub: 'ana', email: ana.email, email_verified: true } });
    const { body } = await begin(200, ana.email);
    await finish(200, { query: await visitProvider(body.redirect_to) });
  });

  test('an address without single sign-on gets the same answer, whether or not it belongs to a user', async () => {
    const ana = await createColleague();
    const known = await begin(403, ana.email);
    const unknown = await begin(403, freshEmail());
    assert.deepEqual(
      { ...known.body, instance: '', request_id: '' },
      { ...unknown.body, instance: '', request_id: '' },
    );
    await set(200);
    await begin(200, ana.email);
    await begin(200, `nobody@${domain}`);
  });

  const BAD: [string, string, Partial<Behaviour>][] = [
    ['of another issuer', 'PROVIDER', { claims: { sub: 'a', iss: 'https://another.example' } }],
    ['for another client', 'PROVIDER', { claims: { sub: 'a', aud: 'another' } }],
    ['with another nonce', 'PROVIDER', { claims: { sub: 'a', nonce: 'another' } }],
    ['that has expired', 'PROVIDER', { claims: { sub: 'a', exp: 1 } }],
    ['without a signature', 'PROVIDER', { signature: 'NONE' }],
    ['signed by an unknown key', 'PROVIDER', { signature: 'FOREIGN' }],
    ['that came with another state', 'EXPIRED', { comeBack: (query) => query.set('state', 'another') }],
    [
      'that says that the person refused',
      'PROVIDER',
      {
        comeBack: (query) => {
          query.delete('code');
          query.set('error', 'access_denied');
        },
      },
    ],
  ];
  for (const [words, reason, behaviour] of BAD) {
    test(`an answer ${words} logs nobody in`, async () => {
      await set(200);
      const ana = await createColleague();
      const claims = { email: ana.email, email_verified: true, ...(behaviour.claims ?? { sub: 'a' }) };
      await expectReason(logIn(403, ana.email, { ...behaviour, claims }), reason);
      assert.equal(jar.cookies.has('parley_session'), false);
    });
  }

  test('it counts in the browser that has begun it, and once', async () => {
    await set(200);
    const ana = await createColleague();
    provider.behave({ claims: { sub: 'ana', email: ana.email, email_verified: true } });
    const { body } = await begin(200, ana.email);
    const query = await visitProvider(body.redirect_to);
    const own = jar;
    jar = createJar(platform);
    await expectReason(finish(403, { query }), 'EXPIRED');
    jar = own;
    const ticket = jar.cookies.get('parley_sso') ?? '';
    await finish(200, { query });
    await expectReason(finish(403, { query }), 'EXPIRED');
    jar.cookies.set('parley_sso', ticket);
    await expectReason(finish(403, { query }), 'PROVIDER');
  });

  test('an address counts if the provider has verified it, or the company trusts it, and if the domain is allowed', async () => {
    await set(200);
    const ana = await createColleague();
    const claims = { sub: 'ana', email: ana.email };
    await expectReason(logIn(403, ana.email, { claims }), 'EMAIL_NOT_VERIFIED');
    const foreign = { sub: 'eve', email: freshEmail(), email_verified: true };
    await expectReason(logIn(403, ana.email, { claims: foreign }), 'DOMAIN_NOT_ALLOWED');
    await set(200, { trust_unverified_email: true });
    await logIn(200, ana.email, { claims });
  });

  test('a user of another company is never logged in, and an inactive or removed one neither', async () => {
    await set(200);
    const other = await platform.createCompany();
    const bob = await createColleague('OPERATOR', other);
    await expectReason(logIn(403, bob.email), 'NO_USER');
    const ana = await createColleague();
    await logIn(200, ana.email);
    await call(200, 'PATCH', `/v1/users/${ana._id}`, { key: company.key, body: { status: 'INACTIVE' } });
    await expectReason(logIn(403, ana.email), 'INACTIVE');
    await call(200, 'DELETE', `/v1/users/${ana._id}`, { key: company.key });
    await expectReason(logIn(403, ana.email), 'NO_USER');
  });

  test('the first log-in creates a user only where the company wants it, with the role that it has chosen', async () => {
    await set(200);
    const email = `new@${domain}`;
    await expectReason(logIn(403, email), 'NO_USER');
    await set(200, { create_users: true });
    const { body } = await logIn(200, email, { claims: { sub: 'new', email, email_verified: true, name: 'Nina New' } });
    const { name, role, status } = body.user;
    assert.deepEqual([name, role, status], ['Nina New', 'VIEWER', 'ACTIVE']);
    assert.ok((await readActions()).includes('auth.create-user'));
    // Only an invitation that the person accepts makes a password count here.
    const denied = { key: null, body: { email, password: PASSWORD } };
    await call(401, 'POST', '/v1/auth/login', denied);
    const renamed = await call(200, 'PATCH', `/v1/users/${body.user._id}`, {
      key: company.key,
      body: { name: 'Nina' },
    });
    assert.equal(renamed.body.status, 'ACTIVE');
  });

  test('a user whom only the provider has logged in cannot touch the passkeys and the second factor of the person', async () => {
    await set(200, { create_users: true });
    const other = await platform.createCompany();
    const ana = await createColleague('OPERATOR', other);
    const { body: begun } = await call(200, 'POST', '/v1/auth/second-factor/begin', { key: ana.token });
    const code = new TOTP({ secret: begun.secret }).generate();
    await call(200, 'POST', '/v1/auth/second-factor', { key: ana.token, body: { password: PASSWORD, code } });
    await logIn(200, ana.email);
    const ask = (status: number, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Answer> =>
      jar.send(status, method, `/v1/auth/${path}`, body && { body });
    for (const refused of [
      await ask(403, 'GET', 'passkeys'),
      await ask(403, 'POST', 'passkeys/begin', { password: PASSWORD }),
      await ask(403, 'PATCH', `passkeys/${'a'.repeat(24)}`, { name: 'Mine' }),
      await ask(403, 'POST', `passkeys/${'a'.repeat(24)}/remove`, { password: PASSWORD }),
      await ask(403, 'POST', 'second-factor/begin'),
      await ask(403, 'POST', 'second-factor/disable', { password: PASSWORD, code: '000000' }),
    ]) {
      expectProblem(refused, 'FORBIDDEN', 'authorization');
      assert.equal(refused.body.errors[0].code, 'NOT_ACCEPTED');
    }
    const { body: state } = await ask(200, 'GET', 'second-factor');
    assert.deepEqual(state, { enabled: false, required: false, recovery_codes_left: 0, has_password: false });
    // The factor of the person is never asked for here, so it does not meet the rule of this company either.
    await set(200, { satisfies_second_factor: false });
    await database.sql('update companies set second_factor_required = true where _id = $1', [company._id]);
    await logIn(200, ana.email);
    expectProblem(await ask(403, 'GET', '../contacts'), 'SECOND_FACTOR_MISSING');
  });

  test('claims that no user can have are refused', async () => {
    await set(200, { create_users: true });
    const email = `new@${domain}`;
    for (const bad of [
      { sub: 'a\0b' },
      { email: `ña@${domain}` },
      { email: `${'a'.repeat(254)}@${domain}` },
      { email: `a b@${domain}` },
      { name: 'Nina\0' },
    ])
      await expectReason(logIn(403, email, { claims: { sub: 'a', email, email_verified: true, ...bad } }), 'PROVIDER');
  });

  test('two first log-ins of one account with different addresses link one user', async () => {
    await set(200);
    const people = [await createColleague(), await createColleague()];
    const jars = people.map(() => createJar(platform));
    const queries: string[] = [];
    for (const [at, { email }] of people.entries()) {
      provider.behave({ claims: { sub: 'one', email, email_verified: true } });
      jar = jars[at] ?? jar;
      queries.push(await visitProvider((await begin(200, email)).body.redirect_to));
    }
    // What the other log-in has linked since this one looked.
    await database.sql(
      `create or replace function steal() returns trigger language plpgsql as $$ begin
        if new.single_sign_on_subject = 'one' and pg_trigger_depth() = 1 then
          update users set single_sign_on_issuer = new.single_sign_on_issuer, single_sign_on_subject = 'one' where _id = '${people[0]?.['_id']}';
        end if; return new; end $$`,
    );
    await database.sql('create trigger steal before update on users for each row execute function steal()');
    await expectReason(finish(403, { query: queries[1] }), 'LINKED_OTHERWISE');
    await database.sql('drop trigger steal on users');
  });

  test('a provider that hangs fails its own log-in after its deadline, and no other company waits', async () => {
    await set(200);
    const slow = await startProvider();
    const other = await platform.createCompany();
    await set(200, { issuer: slow.issuer, domains: [`slow-${domain}`] }, platform.globalKey, other);
    slow.behave({ hangs: true });
    const waiting = Array.from({ length: 5 }, () =>
      call(403, 'POST', '/v1/auth/single-sign-on', {
        key: null,
        headers: FROM_PAGE,
        body: { email: `a@slow-${domain}` },
      }),
    );
    const ana = await createColleague();
    await logIn(200, ana.email);
    for (const answer of await Promise.all(waiting)) assert.equal(answer.body.errors[0].code, 'PROVIDER');
    // Those who wait at the same time ask once.
    assert.equal(slow.calls.length, 1);
  });

  test('a provider that has failed is asked again after ten seconds, and not before', async (t) => {
    await set(200);
    const moveOn = stopClock(t);
    provider.behave({ describe: { issuer: 'https://another.example' } });
    await expectReason(begin(403, `a@${domain}`), 'PROVIDER');
    provider.behave();
    const before = provider.calls.length;
    moveOn(9_999);
    await expectReason(begin(403, `a@${domain}`), 'PROVIDER');
    assert.equal(provider.calls.length, before);
    moveOn(1);
    await begin(200, `a@${domain}`);
  });
});

describe('with other ways in', () => {
  const withCookie = (): Record<string, string> => ({
    ...FROM_PAGE,
    cookie: `parley_session=${jar.cookies.get('parley_session')}`,
  });

  test('an administrator unlinks a user, whose sessions by the provider end, and whom the next log-in links again', async () => {
    await set(200);
    const [admin, ana, owner] = [
      await createColleague('ADMIN'),
      await createColleague(),
      await createColleague('OWNER'),
    ];
    await logIn(200, owner.email);
    await logIn(200, ana.email);
    const { body: linked } = await call(200, 'GET', `/v1/users/${ana._id}`, { key: admin.token });
    assert.equal(linked.single_sign_on, true);
    const path = (id: string): string => `/v1/users/${id}/single-sign-on`;
    expectProblem(await call(403, 'DELETE', path(ana._id), { key: ana.token }), 'FORBIDDEN');
    expectProblem(await call(403, 'DELETE', path(owner._id), { key: admin.token }), 'FORBIDDEN', 'role');
    const other = await platform.createCompany();
    expectProblem(await call(404, 'DELETE', path(ana._id), { key: other.key }), 'NOT_FOUND');
    const { body } = await call(200, 'DELETE', path(ana._id), { key: admin.token });
    assert.equal(body.single_sign_on, false);
    await call(401, 'GET', '/v1/auth/me', { key: null, headers: withCookie() });
    await call(200, 'GET', '/v1/auth/me', { key: ana.token });
    expectProblem(await call(404, 'DELETE', path(ana._id), { key: admin.token }), 'NOT_FOUND');
    assert.equal((await readActions())[0], 'users.unlink-single-sign-on');
    await logIn(200, ana.email, { claims: { sub: 'a new account', email: ana.email, email_verified: true } });
  });

  test('users unlink themselves only if they can log in with a password or a passkey', async () => {
    await set(200, { create_users: true });
    const path = '/v1/auth/single-sign-on';
    await logIn(200, `new@${domain}`);
    const without = await jar.send(403, 'DELETE', path);
    assert.equal(without.body.errors[0].code, 'NOT_ACCEPTED');
    const { body: created } = await jar.send(200, 'GET', '/v1/auth/me');
    expectProblem(await call(403, 'DELETE', path, { key: company.key }), 'FORBIDDEN', 'authorization');
    const ana = await createColleague('ADMIN');
    expectProblem(await call(404, 'DELETE', path, { key: ana.token }), 'NOT_FOUND');
    await logIn(200, ana.email);
    await set(200, { password_login: false });
    for (const own of [path, `/v1/users/${ana._id}/single-sign-on`]) {
      const refused = await call(403, 'DELETE', own, { key: ana.token });
      assert.equal(refused.body.errors[0].code, 'SINGLE_SIGN_ON_ONLY');
    }
    await set(200, { password_login: true });
    await call(200, 'DELETE', path, { key: ana.token });
    assert.equal((await readActions())[0], 'auth.unlink-single-sign-on');
    // An administrator decides for others.
    await call(200, 'DELETE', `/v1/users/${created.user._id}/single-sign-on`, { key: ana.token });
  });

  test('the codes that are tried after the provider are counted against the user', async () => {
    const limited = await startPlatform({ env: { ...ROOMY, RATE_LIMIT_LOGIN: '6' } });
    const headers = { 'x-company-id': limited.demo._id };
    const ana = await createPerson(limited, limited.demo._id, 'OPERATOR');
    const body = makeSettings({ satisfies_second_factor: false, domains: ['example.test'] });
    await limited.call(200, 'PUT', PATH, { key: limited.globalKey, headers, body });
    const { body: begun } = await limited.call(200, 'POST', '/v1/auth/second-factor/begin', { key: ana.token });
    const code = new TOTP({ secret: begun.secret }).generate();
    const enabled = { key: ana.token, body: { password: PASSWORD, code } };
    const { body: made } = await limited.call(200, 'POST', '/v1/auth/second-factor', enabled);
    jar = createJar(limited);
    provider.behave({ claims: { sub: 'ana', email: ana.email, email_verified: true } });
    const { body: way } = await begin(200, ana.email);
    await finish(401, { query: await visitProvider(way.redirect_to, limited) });
    for (const _try of [1, 2]) await finish(401, { code: '000000' });
    expectProblem(await finish(429, { code: made.recovery_codes[0] }), 'RATE_LIMITED');
  });

  test('once single sign-on is off, a session that it has opened needs the second factor that the company requires', async () => {
    await set(200);
    await database.sql('update companies set second_factor_required = true where _id = $1', [company._id]);
    const ana = await createColleague();
    await logIn(200, ana.email);
    const list = (status: number): Promise<Answer> =>
      call(status, 'GET', '/v1/contacts', { key: null, headers: withCookie() });
    await list(200);
    await set(200, { enabled: false });
    expectProblem(await list(403), 'SECOND_FACTOR_MISSING');
    await set(200);
    await list(200);
    await call(200, 'DELETE', PATH, { key: company.key });
    expectProblem(await list(403), 'SECOND_FACTOR_MISSING');
  });

  test('without password log-in only owners use their passwords, so that a broken provider locks nobody out for good', async () => {
    expectProblem(await set(400, { enabled: false, password_login: false }), 'VALIDATION_FAILED', 'password_login');
    await set(200, { password_login: false });
    const [ana, owner] = [await createColleague('ADMIN'), await createColleague('OWNER')];
    const byPassword = (status: number, email: string, password = PASSWORD): Promise<Answer> =>
      call(status, 'POST', '/v1/auth/login', { key: null, body: { email, password } });
    const refused = await byPassword(403, ana.email);
    expectProblem(refused, 'FORBIDDEN', 'password');
    assert.equal(refused.body.errors[0].code, 'SINGLE_SIGN_ON_ONLY');
    expectProblem(await byPassword(401, ana.email, 'another password'), 'INVALID_CREDENTIALS');
    await byPassword(200, owner.email);
    await logIn(200, ana.email);
    await call(200, 'DELETE', PATH, { key: company.key });
    await byPassword(200, ana.email);
  });

  test('a log-in by single sign-on meets the rule of a second factor, unless the company says otherwise', async () => {
    await set(200);
    await database.sql('update companies set second_factor_required = true where _id = $1', [company._id]);
    const ana = await createColleague('ADMIN');
    const list = (status: number): Promise<Answer> => {
      const cookie = `parley_session=${jar.cookies.get('parley_session')}`;
      return call(status, 'GET', '/v1/contacts', { key: null, headers: { ...FROM_PAGE, cookie } });
    };
    await logIn(200, ana.email);
    await list(200);
    await set(200, { satisfies_second_factor: false });
    expectProblem(await list(403), 'SECOND_FACTOR_MISSING');
    const { body: begun } = await call(200, 'POST', '/v1/auth/second-factor/begin', { key: ana.token });
    const code = new TOTP({ secret: begun.secret }).generate();
    const enabled = { key: ana.token, body: { password: PASSWORD, code } };
    const { body: made } = await call(200, 'POST', '/v1/auth/second-factor', enabled);
    expectProblem(await logIn(401, ana.email), 'SECOND_FACTOR_REQUIRED', 'code');
    expectProblem(await finish(401, { code: '000000' }), 'SECOND_FACTOR_REQUIRED', 'code');
    assert.ok((await readActions()).includes('auth.login-refused'));
    await finish(200, { code: made.recovery_codes[0] });
    await list(200);
  });

  test('a person whose only factor is a passkey gives it after the provider', async () => {
    await set(200, { satisfies_second_factor: false });
    const ana = await createColleague();
    const { origin } = new URL(platform.running.kit.config.PUBLIC_URL);
    const key = createAuthenticator(origin);
    await database.sql(
      `insert into passkeys (email, _id, name, credential_id, public_key, counter, transports)
        values (lower($1), $2, 'Laptop', $3, $4, 0, '{}')`,
      [ana.email, ana._id, key.id, key.publicKey],
    );
    const answer = async (more: object = {}): Promise<Json> =>
      key.get((await jar.send(200, 'POST', '/v1/auth/passkey')).body.options, more);
    const asked = await logIn(401, ana.email);
    expectProblem(asked, 'SECOND_FACTOR_REQUIRED', 'passkey');
    assert.equal(asked.body.errors[0].code, 'REQUIRED');
    const wrong = await finish(401, { passkey: await answer({ isVerified: false }) });
    expectProblem(wrong, 'SECOND_FACTOR_REQUIRED', 'passkey');
    const { body } = await finish(200, { passkey: await answer() });
    assert.equal(body.user._id, ana._id);
  });

  test('settings that were replaced while the person types a code end the log-in', async () => {
    await set(200, { satisfies_second_factor: false });
    const ana = await createColleague();
    const { body: begun } = await call(200, 'POST', '/v1/auth/second-factor/begin', { key: ana.token });
    const code = new TOTP({ secret: begun.secret }).generate();
    const enabled = { key: ana.token, body: { password: PASSWORD, code } };
    const { body: made } = await call(200, 'POST', '/v1/auth/second-factor', enabled);
    await logIn(401, ana.email);
    await set(200, { satisfies_second_factor: false });
    await expectReason(finish(403, { code: made.recovery_codes[0] }), 'EXPIRED');
  });
});
