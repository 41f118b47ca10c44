/** Passkeys: registration, the log-in without a password and as a second factor, and what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { createAuthenticator, type Answering } from '../../../test/support/authenticator.ts';
import { createJar, type Jar } from '../../../test/support/cookies.ts';
import {
  createPerson,
  forgetPassword,
  logIn,
  PASSWORD,
  readMailToken,
  resetPassword,
  waitForMail,
  type Person,
} from '../../../test/support/people.ts';
import { findPort } from '../../../test/support/ports.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import type { UserRole } from '../../platform/values/scopes.ts';

// Browsers make no passkeys for a bare IP address.
const PORT = String(await findPort());
const ORIGIN = `http://localhost:${PORT}`;
const platform = await startPlatform({ env: { PORT, PUBLIC_URL: ORIGIN } });
const { call, demo, database } = platform;
const PATH = '/v1/auth/passkeys';

interface Owner extends Person {
  jar: Jar;
  key: ReturnType<typeof createAuthenticator>;
  passkey: Json;
}

async function register(person: Person, jar = createJar(platform)): Promise<Owner> {
  const key = createAuthenticator(ORIGIN);
  const { body } = await jar.send(200, 'POST', `${PATH}/begin`, { key: person.token, body: { password: PASSWORD } });
  const given = { name: 'Laptop', credential: key.create(body.options) };
  const { body: passkey } = await jar.send(200, 'POST', PATH, { key: person.token, body: given });
  return { ...person, jar, key, passkey };
}

/** Registers a passkey of a new person, and waits for the mail about it, so that later mails come behind it. */
async function protect(role: UserRole = 'OPERATOR'): Promise<Owner> {
  const owner = await register(await createPerson(platform, demo._id, role));
  await waitForMail(platform, owner.email);
  return owner;
}

/** Asks for a challenge and lets the passkey answer it. */
async function answer({ jar, key }: Owner, answering?: Answering): Promise<Json> {
  const { body } = await jar.send(200, 'POST', '/v1/auth/passkey');
  return key.get(body.options, answering);
}

const open = (status: number, { jar }: Owner, passkey: Json): Promise<Answer> =>
  jar.send(status, 'POST', '/v1/auth/session/passkey', { body: { passkey } });

test('a person registers a passkey with the password, sees when it was used, renames it, and removes it; each change is mailed', async () => {
  const ana = await protect();
  assert.equal(
    (await waitForMail(platform, ana.email)).subject,
    'Uma chave de acesso foi adicionada à sua conta no Parley',
  );
  assert.deepEqual([ana.passkey.name, ana.passkey.last_used_at], ['Laptop', null]);
  await open(200, ana, await answer(ana));
  const renamed = { key: ana.token, body: { name: 'Phone' } };
  await call(200, 'PATCH', `${PATH}/${ana.passkey._id}`, renamed);
  const { body: list } = await call(200, 'GET', PATH, { key: ana.token });
  assert.deepEqual([list.meta.totalCount, list.result[0].name], [1, 'Phone']);
  assert.ok(Date.parse(list.result[0].last_used_at) > 0);
  const remove = (status: number, body: object): Promise<Answer> =>
    ana.jar.send(status, 'POST', `${PATH}/${ana.passkey._id}/remove`, {
      key: ana.token,
      body: { password: PASSWORD, ...body },
    });
  expectProblem(await remove(400, { password: 'another password' }), 'VALIDATION_FAILED', 'password');
  expectProblem(await remove(400, {}), 'VALIDATION_FAILED', 'passkey');
  await remove(200, { passkey: await answer(ana) });
  await waitForMail(platform, ana.email, 2);
  expectProblem(await open(401, ana, await answer(ana)), 'INVALID_CREDENTIALS');
  await logIn(platform, 200, ana.email);
});

test('a registration needs the password, the browser that began it, and a verified person; it counts once', async () => {
  const person = await createPerson(platform, demo._id, 'VIEWER');
  const jar = createJar(platform);
  const begin = async (): Promise<Json> =>
    (await jar.send(200, 'POST', `${PATH}/begin`, { key: person.token, body: { password: PASSWORD } })).body.options;
  const create = (status: number, by: Jar, body: object): Promise<Answer> =>
    by.send(status, 'POST', PATH, { key: person.token, body: { name: 'Laptop', ...body } });
  const key = createAuthenticator(ORIGIN);
  const wrong = { key: person.token, body: { password: 'another password' } };
  expectProblem(await jar.send(400, 'POST', `${PATH}/begin`, wrong), 'VALIDATION_FAILED', 'password');
  const credential = key.create(await begin());
  expectProblem(await create(400, createJar(platform), { credential }), 'VALIDATION_FAILED', 'credential');
  for (const answering of [{ isVerified: false }, { origin: 'https://evil.example' }])
    expectProblem(
      await create(400, jar, { credential: key.create(await begin(), answering) }),
      'VALIDATION_FAILED',
      'credential',
    );
  const options = await begin();
  const ticket = jar.cookies.get('parley_passkey') ?? '';
  await create(200, jar, { credential: key.create(options) });
  jar.cookies.set('parley_passkey', ticket);
  const again = createAuthenticator(ORIGIN).create(options);
  expectProblem(await create(400, jar, { credential: again }), 'VALIDATION_FAILED', 'credential');
  const key403 = await call(403, 'POST', `${PATH}/begin`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    body: { password: PASSWORD },
  });
  expectProblem(key403, 'FORBIDDEN');
});

test('a passkey logs in without a password; an answer counts once, and only in the browser whose challenge it answers', async () => {
  const ana = await protect();
  const passkey = await answer(ana);
  expectProblem(await open(401, { ...ana, jar: createJar(platform) }, passkey), 'INVALID_CREDENTIALS');
  const ticket = ana.jar.cookies.get('parley_passkey') ?? '';
  const { body } = await open(200, ana, passkey);
  assert.equal(body.user._id, ana._id);
  ana.jar.cookies.set('parley_passkey', ticket);
  expectProblem(await open(401, ana, passkey), 'INVALID_CREDENTIALS');
});

test('a passkey is refused with another signature, origin or person, without verification, or with a counter that went back', async () => {
  const [ana, bob] = [await protect(), await protect()];
  await open(200, ana, await answer(ana, { counter: 5 }));
  for (const wrong of [
    { counter: 5 },
    { counter: 0 },
    { counter: 6, isVerified: false },
    { counter: 6, origin: 'https://evil.example' },
  ])
    expectProblem(await open(401, ana, await answer(ana, wrong)), 'INVALID_CREDENTIALS');
  const stolen = { ...(await answer({ ...bob, jar: ana.jar })), id: ana.passkey._id };
  expectProblem(await open(401, ana, stolen), 'INVALID_CREDENTIALS');
  await open(200, ana, await answer(ana, { counter: 6 }));
});

test('with the password a log-in asks for a passkey of the same person', async () => {
  const [ana, bob] = [await protect(), await protect()];
  const refused = await logIn(platform, 401, ana.email);
  expectProblem(refused, 'SECOND_FACTOR_REQUIRED', 'passkey');
  const session = (status: number, passkey?: Json): Promise<Answer> => {
    const body = { email: ana.email, password: PASSWORD, ...(passkey && { passkey }) };
    return ana.jar.send(status, 'POST', '/v1/auth/session', { body });
  };
  await session(401);
  expectProblem(await session(401, await answer({ ...bob, jar: ana.jar })), 'SECOND_FACTOR_REQUIRED', 'passkey');
  const { body } = await session(200, await answer(ana));
  assert.equal(body.user.second_factor, true);
});

test("a passkey meets the company's rule, and an administrator's reset removes it", async () => {
  const company = await platform.createCompany();
  const ana = await createPerson(platform, company._id, 'OPERATOR');
  await database.sql('update companies set second_factor_required = true where _id = $1', [company._id]);
  expectProblem(await call(403, 'GET', '/v1/contacts', { key: ana.token }), 'SECOND_FACTOR_MISSING');
  const owner = await register(ana);
  await call(200, 'GET', '/v1/contacts', { key: ana.token });
  await call(200, 'DELETE', `/v1/users/${ana._id}/second-factor`, { key: company.key });
  expectProblem(await open(401, owner, await answer(owner)), 'INVALID_CREDENTIALS');
  const { body } = await logIn(platform, 200, ana.email);
  expectProblem(await call(403, 'GET', '/v1/contacts', { key: body.access_token }), 'SECOND_FACTOR_MISSING');
});

test('who has a second factor gives it to change the second factors, because the password and a session are not enough', async () => {
  const [ana, bob] = [await protect(), await protect()];
  const begin = (status: number, body: object = {}): Promise<Answer> =>
    ana.jar.send(status, 'POST', `${PATH}/begin`, { key: ana.token, body: { password: PASSWORD, ...body } });
  const missing = await begin(400);
  expectProblem(missing, 'VALIDATION_FAILED', 'passkey');
  assert.equal(missing.body.errors[0].code, 'REQUIRED');
  expectProblem(await begin(400, { passkey: await answer({ ...bob, jar: ana.jar }) }), 'VALIDATION_FAILED', 'passkey');
  await begin(200, { passkey: await answer(ana) });
  // An authenticator app is a way around the passkey as well.
  const { body: begun } = await call(200, 'POST', '/v1/auth/second-factor/begin', { key: ana.token });
  const app = new TOTP({ secret: begun.secret });
  const enable = (status: number, more: object = {}): Promise<Answer> =>
    ana.jar.send(status, 'POST', '/v1/auth/second-factor', {
      key: ana.token,
      body: { password: PASSWORD, code: app.generate(), ...more },
    });
  expectProblem(await enable(400), 'VALIDATION_FAILED', 'passkey');
  const { body: made } = await enable(200, { passkey: await answer(ana) });
  await begin(400, { code: '000000' });
  await begin(200, { code: made.recovery_codes[0] });
  await begin(400, { code: made.recovery_codes[0] });
});

test('an inactive user is refused, and another person sees and changes none of the passkeys', async () => {
  const [ana, bob] = [await protect(), await protect()];
  const { body: list } = await call(200, 'GET', PATH, { key: bob.token });
  assert.deepEqual(
    list.result.map(({ _id }: Json) => _id),
    [bob.passkey._id],
  );
  await call(404, 'PATCH', `${PATH}/${ana.passkey._id}`, { key: bob.token, body: { name: 'Mine' } });
  const remove = { key: bob.token, body: { password: PASSWORD } };
  await call(404, 'POST', `${PATH}/${ana.passkey._id}/remove`, remove);
  await call(200, 'PATCH', `/v1/users/${ana._id}`, { body: { status: 'INACTIVE' } });
  expectProblem(await open(401, ana, await answer(ana)), 'INVALID_CREDENTIALS');
});

test('a new password keeps the passkeys, and the mail with its link says so', async () => {
  const ana = await protect();
  await forgetPassword(platform, ana.email);
  const mail = await waitForMail(platform, ana.email, 2);
  assert.match(mail.text ?? '', /Ela não muda as suas chaves de acesso/);
  await resetPassword(platform, 200, readMailToken(mail), 'another password');
  await open(200, ana, await answer(ana));
  expectProblem(await logIn(platform, 401, ana.email, 'another password'), 'SECOND_FACTOR_REQUIRED', 'passkey');
});
