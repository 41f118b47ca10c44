/** Single sign-on: what a company sets, and who is logged in by its provider. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { createJar, type Jar } from '../../../test/support/cookies.ts';
import { TOTP } from 'otpauth';
import { CLIENT, startProvider, type Behaviour, type Provider } from '../../../test/support/openid.ts';
import { createPerson, FROM_PAGE, freshEmail, PASSWORD } from '../../../test/support/people.ts';
import {
  ROOMY,
  startPlatform,
  UNLIMITED,
  type Answer,
  type Company,
  type Json,
} from '../../../test/support/platform.ts';
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

const makeSettings = (more: object = {}, { issuer }: Provider = provider): object => ({
  issuer,
  ...CLIENT,
  domains: [domain],
  enabled: true,
  ...more,
});

const set = (status: number, more: object = {}, key = company.key): Promise<Answer> =>
  call(status, 'PUT', PATH, { key, body: makeSettings(more) });

/** Sends a request of the log-in page. */
const send = (status: number, path: string, body: object): Promise<Answer> => jar.send(status, 'POST', path, { body });

const begin = (status: number, email: string): Promise<Answer> => send(status, '/v1/auth/single-sign-on', { email });

/** Follows the redirects of the provider and returns the query with which it opens the redirect URI. */
async function visitProvider(address: string): Promise<string> {
  const answer = await fetch(address, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  assert.equal(`${back.origin}${back.pathname}`, `${platform.running.kit.config.PUBLIC_URL}/console/single-sign-on`);
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
    const admin = await createPerson(platform, company._id, 'ADMIN');
    const owner = await createPerson(platform, company._id, 'OWNER');
    expectProblem(await set(403, {}, admin.token), 'FORBIDDEN');
    expectProblem(await call(403, 'DELETE', PATH, { key: admin.token }), 'FORBIDDEN');
    await set(200, {}, owner.token);
    const viewer = await createPerson(platform, company._id, 'VIEWER');
    await call(403, 'GET', PATH, { key: viewer.token });
  });

  test('a domain belongs to one company, and none to a public mail service', async () => {
    await set(200);
    const other = await platform.createCompany();
    const taken = await set(400, {}, other.key);
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
    assert.deepEqual(good, { ok: true, problem: null, authorization_endpoint: `${provider.issuer}/authorize` });
    provider.behave({ describe: { issuer: 'https://another.example' } });
    const { ok, problem } = await check();
    assert.equal(ok, false);
    assert.match(problem, /issuer/);
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
    await call(200, 'PUT', PATH, { key: company.key, body: makeSettings({}, elliptic) });
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

  test('a provider that hangs fails its own log-in after its deadline, and no other company waits', async () => {
    await set(200);
    const slow = await startProvider();
    const other = await platform.createCompany();
    const body = makeSettings({ domains: [`slow-${domain}`] }, slow);
    await call(200, 'PUT', PATH, { key: other.key, body });
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
});

describe('with other ways in', () => {
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
    await finish(200, { code: made.recovery_codes[0] });
    await list(200);
  });
});
