/** Sessions of browsers: log-in by cookie, from the platform's own origin only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FROM_PAGE,
  createPerson,
  logIn,
  PASSWORD,
  resetPassword,
  forgetPassword,
  readMailToken,
  waitForMail,
} from '../../../test/support/people.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { makeSessionCookie } from '../../platform/http/session-cookie.ts';
import { createLogInLink } from '../users/log-in-links.ts';

const platform = await startPlatform();
const { call, demo, database, running } = platform;
const HOUR_MS = 3_600_000;

const openSession = (status: number, email: string, headers: Record<string, string> = FROM_PAGE): Promise<Answer> =>
  call(status, 'POST', '/v1/auth/session', { key: null, headers, body: { email, password: PASSWORD } });
const readCookie = ({ headers }: Answer): string => headers.get('set-cookie') ?? '';

/** Logs a new person in. Returns the person, and the cookie as a browser sends it. */
async function logInBrowser() {
  const person = await createPerson(platform, demo._id, 'ADMIN');
  const answer = await openSession(200, person.email);
  const cookie = readCookie(answer).split(';')[0] ?? '';
  return { person, answer, cookie };
}

const readMe = (status: number, headers: Record<string, string>, key: string | null = null): Promise<Answer> =>
  call(status, 'GET', '/v1/auth/me', { key, headers });

test('a log-in of a browser sets a cookie that no script can read, and the session acts for its user', async () => {
  const { person, answer, cookie } = await logInBrowser();
  assert.match(readCookie(answer), /^parley_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/);
  assert.equal(answer.body.user._id, person._id);
  assert.ok(Math.abs(Date.parse(answer.body.expires_at) - Date.now() - 12 * HOUR_MS) < 60_000);
  const { body } = await readMe(200, { ...FROM_PAGE, cookie: `theme=dark; ${cookie}` });
  assert.deepEqual([body.type, body.user._id, body.role], ['user', person._id, 'ADMIN']);
  await call(201, 'POST', '/v1/contacts', { key: null, headers: { ...FROM_PAGE, cookie }, body: { name: 'Ana' } });
});

test('the cookie is Secure where the platform is reached by https', () => {
  assert.match(makeSessionCookie('token', { secure: true, seconds: 60 }), /; Secure$/);
});

test('a session cookie is accepted only from pages of the platform itself', async () => {
  const { person, cookie } = await logInBrowser();
  const host = new URL(platform.url).host;
  const own = [{ origin: `http://${host}` }, { referer: `http://${host}/console/inbox` }, FROM_PAGE];
  for (const headers of own) await readMe(200, { ...headers, cookie });
  const foreign = [
    {},
    { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://${host}.evil.example` },
    { referer: 'https://evil.example/' },
  ];
  for (const headers of foreign) {
    expectProblem(await readMe(401, { ...headers, cookie }), 'UNAUTHORIZED');
    expectProblem(await openSession(403, person.email, headers), 'FORBIDDEN');
  }
});

test('a request with an authorization header ignores the session cookie', async () => {
  const { cookie } = await logInBrowser();
  const asKey = await readMe(200, { ...FROM_PAGE, cookie }, demo.key);
  assert.equal(asKey.body.type, 'company');
  await readMe(401, { ...FROM_PAGE, cookie, authorization: 'Bearer nonsense' });
});

test('a log-out ends the session at once and removes the cookie', async () => {
  const { cookie } = await logInBrowser();
  const headers = { ...FROM_PAGE, cookie };
  await readMe(200, headers);
  const answer = await call(200, 'DELETE', '/v1/auth/session', { key: null, headers });
  assert.match(readCookie(answer), /^parley_session=; .*Max-Age=0/);
  await readMe(401, headers);
  await call(401, 'DELETE', '/v1/auth/session', { key: null, headers });
});

/** Prints a link as a start of the platform does, for a new person. */
async function makeLink() {
  const person = await createPerson(platform, demo._id, 'OWNER');
  const owner = { company: demo._id, email: person.email, seconds: 600 };
  const token = await running.kit.database.systemTx('upkeep', (tx) => createLogInLink(tx, owner));
  assert.ok(token);
  return { person, token };
}

const openByLink = (status: number, token: string, headers: Record<string, string> = FROM_PAGE): Promise<Answer> =>
  call(status, 'POST', '/v1/auth/session/link', { key: null, headers, body: { token } });

test('a printed link logs a browser in as its user, and is recorded as a log-in', async () => {
  const { person, token } = await makeLink();
  const answer = await openByLink(200, token);
  assert.equal(answer.body.user._id, person._id);
  const cookie = readCookie(answer).split(';')[0] ?? '';
  const { body } = await readMe(200, { ...FROM_PAGE, cookie });
  assert.equal(body.user._id, person._id);
  const audit = await call(200, 'GET', `/v1/audit?actor=${person._id}`);
  assert.deepEqual(
    audit.body.result.map((entry: Json) => entry.action),
    ['auth.login'],
  );
});

test('a printed link works once, also when two browsers use it at the same moment', async () => {
  const { token } = await makeLink();
  const uses = [1, 2, 3, 4].map(() =>
    fetch(`${platform.url}/v1/auth/session/link`, {
      method: 'POST',
      headers: { ...FROM_PAGE, 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    }),
  );
  const statuses = (await Promise.all(uses)).map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 400, 400, 400],
  );
});

test('a printed link that is unknown, used or expired, or whose user is inactive, is refused alike', async () => {
  const { token: used } = await makeLink();
  await openByLink(200, used);
  const { token: old, person } = await makeLink();
  await database.sql(`update password_tokens set expires_at = now() - interval '1 millisecond' where user_id = $1`, [
    person._id,
  ]);
  const { token: gone, person: inactive } = await makeLink();
  await call(200, 'PATCH', `/v1/users/${inactive._id}`, { body: { status: 'INACTIVE' } });
  for (const token of [used, old, gone, 'unknown']) {
    const answer = await openByLink(400, token);
    expectProblem(answer, 'INVALID_RESET_TOKEN');
    assert.equal(answer.headers.get('set-cookie'), null);
  }
});

test('a printed link cannot set a password, and a mailed link cannot log in', async () => {
  const { token, person } = await makeLink();
  await resetPassword(platform, 400, token, 'another correct horse');
  await forgetPassword(platform, person.email);
  const mailed = readMailToken(await waitForMail(platform, person.email));
  expectProblem(await openByLink(400, mailed), 'INVALID_RESET_TOKEN');
  await openByLink(200, token);
  await resetPassword(platform, 200, mailed, 'another correct horse');
});

test('a printed link that a page of another origin uses is refused and stays usable', async () => {
  const { token } = await makeLink();
  expectProblem(await openByLink(403, token, { 'sec-fetch-site': 'cross-site' }), 'FORBIDDEN');
  await openByLink(200, token);
});

test('a new password ends the links that were printed before', async () => {
  const { token, person } = await makeLink();
  await forgetPassword(platform, person.email);
  await resetPassword(platform, 200, readMailToken(await waitForMail(platform, person.email)), 'another correct horse');
  expectProblem(await openByLink(400, token), 'INVALID_RESET_TOKEN');
});

test('a session ends when the user resets the password, is deactivated or removed, or when the company is suspended', async () => {
  const ends = [
    async (email: string) => {
      await forgetPassword(platform, email);
      await resetPassword(platform, 200, readMailToken(await waitForMail(platform, email)), 'another correct horse');
    },
    (_email: string, id: string) => call(200, 'PATCH', `/v1/users/${id}`, { body: { status: 'INACTIVE' } }),
    (_email: string, id: string) => call(200, 'DELETE', `/v1/users/${id}`),
  ];
  for (const end of ends) {
    const { person, cookie } = await logInBrowser();
    await readMe(200, { ...FROM_PAGE, cookie });
    await end(person.email, person._id);
    await readMe(401, { ...FROM_PAGE, cookie });
  }
  const company = await platform.createCompany();
  const owner = await createPerson(platform, company._id, 'OWNER');
  const cookie = readCookie(await openSession(200, owner.email)).split(';')[0] ?? '';
  const status = { key: platform.globalKey, body: { status: 'SUSPENDED' } };
  await call(200, 'PATCH', `/v1/companies/${company._id}`, status);
  await readMe(401, { ...FROM_PAGE, cookie });
});

test('a session ends after twelve hours without use, and at the latest seven days after the log-in', async () => {
  const { person, cookie } = await logInBrowser();
  const change = (text: string) => database.sql(`update browser_sessions set ${text} where user_id = $1`, [person._id]);
  const hoursLeft = async (): Promise<number> => {
    const [row] = await database.sql(
      'select extract(epoch from expires_at - now()) / 3600 as hours from browser_sessions where user_id = $1',
      [person._id],
    );
    return Number(row?.['hours']);
  };
  await change(`expires_at = now() + interval '1 hour'`);
  await readMe(200, { ...FROM_PAGE, cookie });
  await waitUntil('the session to be prolonged', async () => (await hoursLeft()) > 11);
  await change(`expires_at = now() - interval '1 millisecond'`);
  await waitUntil('the session to end', async () => {
    const answer = await fetch(`${platform.url}/v1/auth/me`, { headers: { ...FROM_PAGE, cookie } });
    return answer.status === 401;
  });

  const old = await logInBrowser();
  await database.sql(
    `update browser_sessions set created_at = now() - interval '167 hours', expires_at = now() + interval '10 minutes' where user_id = $1`,
    [old.person._id],
  );
  await readMe(200, { ...FROM_PAGE, cookie: old.cookie });
  await waitUntil('the session to be prolonged to its end', async () => {
    const [row] = await database.sql(
      `select expires_at = created_at + interval '168 hours' as ends from browser_sessions where user_id = $1`,
      [old.person._id],
    );
    return row?.['ends'] === true;
  });
});

test('the database contains no session token, and a browser with a wrong password gets no cookie', async () => {
  const { person, cookie } = await logInBrowser();
  const token = cookie.split('=')[1] ?? '';
  const [row] = await database.sql('select browser_sessions::text as stored from browser_sessions where user_id = $1', [
    person._id,
  ]);
  assert.ok(
    !String(row?.['stored']).includes(token) && !String(row?.['stored']).includes(Buffer.from(token).toString('hex')),
  );
  const wrong = { email: person.email, password: 'not the password' };
  const refused = await call(401, 'POST', '/v1/auth/session', { key: null, headers: FROM_PAGE, body: wrong });
  expectProblem(refused, 'INVALID_CREDENTIALS');
  assert.equal(refused.headers.get('set-cookie'), null);
  await readMe(401, { ...FROM_PAGE, cookie: `parley_session=${'A'.repeat(43)}` });
  await readMe(401, {
    ...FROM_PAGE,
    cookie: `parley_session=${(await logIn(platform, 200, person.email)).body.access_token}`,
  });
});
