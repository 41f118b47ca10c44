/** Log-in, sessions, forgotten passwords, and what a token says about its holder. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import pg from 'pg';
import {
  readClaims,
  createPerson,
  forgetPassword,
  freshEmail,
  logIn,
  waitForAllMails,
  allowAnotherMail,
  PASSWORD,
  readMails,
  resetPassword,
  readMailToken,
  waitForMail,
} from '../../../test/support/people.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { checkAnswers500, checkAnswers503, expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { hashToken } from '../../platform/http/auth.ts';
import { signToken } from '../../platform/http/tokens.ts';
import { ROLE_SCOPES, USER_ROLES } from '../../platform/values/scopes.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
const HOURS = 3_600;

/** Shown wherever a sandbox runs next to the platform. */
const sandbox_url = platform.sandboxUrl;

const readMe = (status: number, key: string, headers: Record<string, string> = {}): Promise<Answer> =>
  call(status, 'GET', '/v1/auth/me', { key, headers });
const change = (id: string, body: object) => call(200, 'PATCH', `/v1/users/${id}`, { body });
const suspend = (company: string, status = 'SUSPENDED') =>
  call(200, 'PATCH', `/v1/companies/${company}`, { key: platform.globalKey, body: { status } });

/** Returns the answer without the parts that differ between two requests: the request id, the date and the counters of the rate limit. */
function omitVaryingParts({ status, headers, body }: Answer): Json {
  const own = /^(date|x-request-id|ratelimit-\w+)$/;
  return { status, headers: [...headers].filter(([name]) => !own.test(name)), body: { ...body, request_id: '' } };
}

describe('a log-in', () => {
  test('a log-in answers a token for twelve hours and the user, and stores its time', async () => {
    const person = await createPerson(platform, demo._id, 'ADMIN');
    const before = Date.now();
    const { body, headers } = await logIn(platform, 200, person.email);
    assert.deepEqual(Object.keys(body), ['access_token', 'token_type', 'expires_in', 'user']);
    assert.deepEqual([body.token_type, body.expires_in], ['Bearer', 12 * HOURS]);
    assert.ok(Number(headers.get('ratelimit-remaining')) > 0);
    const claims = readClaims(body.access_token);
    assert.ok(Math.abs(claims.exp - before / 1_000 - 12 * HOURS) < 30);
    assert.deepEqual([claims.type, claims.company, claims.role, claims.sv], ['user', demo._id, 'ADMIN', 0]);
    assert.deepEqual(body.user, (await call(200, 'GET', `/v1/users/${person._id}`)).body);
    assert.ok(Date.parse(body.user.last_login_at) >= before - 1_000);
    await call(200, 'GET', '/v1/inboxes', { key: body.access_token });
  });

  test('a log-in accepts the e-mail in any case, and the password only exactly as it is', async () => {
    const { email } = await createPerson(platform, demo._id, 'VIEWER');
    await logIn(platform, 200, email.toUpperCase());
    for (const wrong of [PASSWORD.toUpperCase(), `${PASSWORD} `, ` ${PASSWORD}`, PASSWORD.slice(0, -1)]) {
      await logIn(platform, 401, email, wrong);
    }
    await logIn(platform, 401, `${email} `);
  });

  test('a log-in is refused with the same answer, whether the account is unknown, inactive, invited or suspended, or the password is wrong', async () => {
    const [wrong, inactive] = [
      await createPerson(platform, demo._id, 'ADMIN'),
      await createPerson(platform, demo._id, 'ADMIN'),
    ];
    await change(inactive._id, { status: 'INACTIVE' });
    const invited = { name: 'Ana', email: freshEmail(), role: 'VIEWER' };
    await call(201, 'POST', '/v1/users', { body: invited });
    const company = await platform.createCompany();
    const suspended = await createPerson(platform, company._id, 'OWNER');
    await suspend(company._id);
    const unknown = await logIn(platform, 401, 'nobody@example.test');
    expectProblem(unknown, 'INVALID_CREDENTIALS');
    assert.deepEqual(unknown.body.errors, []);
    assert.equal(unknown.headers.get('www-authenticate'), 'Bearer');
    for (const answer of [
      await logIn(platform, 401, wrong.email, 'another password'),
      await logIn(platform, 401, inactive.email),
      await logIn(platform, 401, invited.email),
      await logIn(platform, 401, suspended.email),
      await logIn(platform, 401, 'no address at all'),
    ]) {
      assert.deepEqual(omitVaryingParts(answer), omitVaryingParts(unknown));
    }
    await suspend(company._id, 'ACTIVE');
    await logIn(platform, 200, suspended.email);
  });

  test('the audit log of the company records each log-in: the user, the address, and whether it was accepted', async () => {
    const person = await createPerson(platform, demo._id, 'VIEWER');
    const auditLines = (count: number) =>
      waitUntil(`${count} lines`, async () => {
        const { body } = await call(200, 'GET', `/v1/audit?resource=${person._id}&sort=createdAt`);
        return body.result.length === count ? (body.result as Json[]) : null;
      });
    await logIn(platform, 401, person.email, 'another password');
    // The platform answers a refused log-in before it writes the audit entry.
    await auditLines(1);
    const { headers } = await logIn(platform, 200, person.email);
    const entries = await auditLines(2);
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['auth.login-refused', 'auth.login'],
    );
    const [refused, { actor, address, request_id: requestId, resource, resource_id: resourceId }] = entries as [
      Json,
      Json,
    ];
    // A person who guesses a password is not known to be the user, so the audit entry names no one.
    assert.deepEqual(refused.actor, { type: 'SYSTEM', _id: null, name: 'Someone without a token' });
    assert.deepEqual(actor, { type: 'USER', _id: person._id, name: 'Olga Operator' });
    assert.deepEqual([address, resource, resourceId], ['127.0.0.1', 'auth', person._id]);
    assert.equal(requestId, headers.get('x-request-id'));
  });

  test('a malformed log-in is answered 400 with the field named, and never repeats the password', async () => {
    const good = { email: 'a@example.test', password: 'secret-enough' };
    for (const [field, ...wrong] of [
      ['email', undefined, '', null, 7, 'x'.repeat(255)],
      ['password', undefined, '', null, ['secret-enough'], 'x'.repeat(129)],
      ['company', 'Demo', '', null, 7],
    ]) {
      for (const value of wrong) {
        const body = { ...good, [field as string]: value };
        const problem = await call(400, 'POST', '/v1/auth/login', { key: null, body });
        expectProblem(problem, 'VALIDATION_FAILED', field as string);
        assert.ok(!JSON.stringify(problem.body).includes('secret-enough'));
      }
    }
  });
});

describe('a session', () => {
  test('a session lives for twelve hours, to the second, and no token can make it longer', async () => {
    const { token, _id } = await createPerson(platform, demo._id, 'VIEWER');
    const { jti: _jti, iat: _iat, iss: _iss, aud: _aud, sub: _sub, ...claims } = readClaims(token);
    const seconds = Math.floor(Date.now() / 1_000);
    const sign = (exp: number) => signToken(platform.running.kit.tokenSecret, _id, { ...claims, jti: _id, exp });
    const short = await sign(seconds + 5);
    await readMe(200, short);
    await readMe(401, await sign(seconds + 12 * HOURS + 60));
    await waitUntil('its end', () => Date.now() >= (seconds + 5) * 1_000);
    await readMe(401, short);
  });
});

describe('a forgotten password', () => {
  test('a forgotten password gets the same answer for every address, and only a user who may log in gets a mail', async () => {
    const [person, inactive] = [
      await createPerson(platform, demo._id, 'ADMIN'),
      await createPerson(platform, demo._id, 'ADMIN'),
    ];
    await change(inactive._id, { status: 'INACTIVE' });
    const company = await platform.createCompany();
    const suspended = await createPerson(platform, company._id, 'OWNER');
    await suspend(company._id);
    const emails = [person.email, 'nobody@example.test', inactive.email, suspended.email];
    const answers = await Promise.all([...emails, '?'].map((email) => forgetPassword(platform, email)));
    for (const answer of answers) {
      assert.deepEqual(answer.body, { ok: true, mail_server: false });
      assert.deepEqual(omitVaryingParts(answer), omitVaryingParts(answers[0] as Answer));
    }
    await waitForAllMails(platform);
    const counts = await Promise.all(emails.map(async (email) => (await readMails(platform, email)).length));
    assert.deepEqual(counts, [1, 0, 0, 0]);
    assert.equal((await readMails(platform, person.email))[0]?.subject, 'Uma nova senha para o Parley');
  });

  test('many requests at once for one forgotten password, with any spelling of the address, send one mail for each run of the queue', async () => {
    const { email } = await createPerson(platform, demo._id, 'ADMIN');
    const started = Date.now();
    const ask = (_: unknown, index: number) => forgetPassword(platform, index % 2 ? email : email.toUpperCase());
    await Promise.all(Array.from({ length: 30 }, ask));
    // The queue sends mails once a second; each request after that enqueues another mail.
    const most = 2 + (Date.now() - started) / 1_000;
    await waitForAllMails(platform);
    const { length } = await readMails(platform, email);
    assert.ok(length >= 1 && length <= most, `${length} mails, ${most} allowed`);
  });

  test('the mail for a forgotten password is in the language of the user, and its link works for an hour', async () => {
    for (const [language, subject] of [
      ['en', 'Reset your Parley password'],
      ['es', 'Una nueva contraseña para Parley'],
    ]) {
      const person = await createPerson(platform, demo._id, 'VIEWER');
      await change(person._id, { language });
      await forgetPassword(platform, person.email);
      assert.equal((await waitForMail(platform, person.email)).subject, subject);
      const [link] = await database.sql<Json>(
        'select extract(epoch from expires_at - created_at) as seconds from password_tokens where user_id = $1',
        [person._id],
      );
      assert.equal(Math.round(Number(link.seconds)), HOURS);
    }
  });
});

test('a second request for a forgotten password within a minute of the last mail sends no mail; a request a minute later does', async () => {
  const person = await createPerson(platform, demo._id, 'VIEWER');
  const asked = async (): Promise<void> => {
    await forgetPassword(platform, person.email);
    await waitUntil('the job to be through', async () => {
      const open = `select from pgboss.job where name = 'users.send-reset' and state in ('created', 'retry', 'active') and data ->> 'email' = $1`;
      return (await database.sql(open, [person.email])).length === 0;
    });
  };
  for (let round = 0; round < 2; round += 1) await asked();
  assert.equal((await readMails(platform, person.email)).length, 1);
  await allowAnotherMail(platform, person.email);
  await asked();
  assert.equal((await readMails(platform, person.email)).length, 2);
});

test('a log-in is refused when the user is deactivated while the password is checked, and no log-in is recorded', async () => {
  const person = await createPerson(platform, demo._id, 'VIEWER');
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(`update users set status = 'INACTIVE', session_version = session_version + 1 where _id = $1`, [
      person._id,
    ]);
    const answer = logIn(platform, 401, person.email);
    await waitUntil('the log-in to wait for the row', async () => {
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query ~ 'last_login_at'`;
      return (await database.sql(waiting)).length > 0;
    });
    await client.query('commit');
    expectProblem(await answer, 'INVALID_CREDENTIALS');
  } finally {
    await client.end();
  }
  const lines = await database.sql(`select from audit_log where resource_id = $1 and action = 'auth.login'`, [
    person._id,
  ]);
  assert.equal(lines.length, 0);
});

describe('a reset of the password', () => {
  test('a password reset answers {ok: true} once; used, expired and invented tokens are refused with identical bytes', async () => {
    const person = await createPerson(platform, demo._id, 'VIEWER');
    await forgetPassword(platform, person.email);
    const used = readMailToken(await waitForMail(platform, person.email));
    const { status, body } = await resetPassword(platform, 200, used, 'entirely new one');
    assert.deepEqual([status, body], [200, { ok: true }]);
    await allowAnotherMail(platform, person.email);
    await forgetPassword(platform, person.email);
    const expired = readMailToken(await waitForMail(platform, person.email, 2));
    await database.sql(`update password_tokens set expires_at = now() - interval '1 millisecond' where user_id = $1`, [
      person._id,
    ]);
    const raw = (token: string) => refusalBytes(token);
    const invented = await raw('A'.repeat(43));
    assert.match(invented, /"code":"INVALID_RESET_TOKEN"/);
    assert.match(invented, /^400 application\/problem\+json/);
    for (const token of [used, expired, `${expired}x`, 'x', 'ü'.repeat(43)]) assert.equal(await raw(token), invented);
    await logIn(platform, 200, person.email, 'entirely new one');
  });

  test('a password reset at the same moment as the deactivation or removal of its user gives no access afterwards, and answers no 5xx', async () => {
    for (let round = 0; round < 10; round += 1) {
      const person = await createPerson(platform, demo._id, 'VIEWER');
      const token = randomBytes(32).toString('base64url');
      await database.sql(
        `insert into password_tokens (token_hash, company_id, user_id, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
        [hashToken(token), demo._id, person._id],
      );
      const isRemoved = round % 2 === 1;
      const dismissal = isRemoved
        ? { method: 'DELETE', headers: { authorization: `Bearer ${demo.key}` } }
        : {
            method: 'PATCH',
            headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ status: 'INACTIVE' }),
          };
      const [reset, dismissed] = await Promise.all([
        refusalBytes(token),
        fetch(`${platform.url}/v1/users/${person._id}`, dismissal),
      ]);
      assert.match(reset, /^(200|400)/);
      assert.equal(dismissed.status, 200);
      if (!isRemoved) assert.equal((await call(200, 'GET', `/v1/users/${person._id}`)).body.status, 'INACTIVE');
      await logIn(platform, 401, person.email, 'entirely new one');
    }
  });

  test('a password reset with a password that is not allowed leaves the token usable', async () => {
    const person = await createPerson(platform, demo._id, 'VIEWER');
    await forgetPassword(platform, person.email);
    const token = readMailToken(await waitForMail(platform, person.email));
    for (const wrong of ['', 'short67', 'x'.repeat(129), null, undefined]) {
      const body = { token, new_password: wrong };
      const problem = await call(400, 'POST', '/v1/auth/reset-password', { key: null, body });
      expectProblem(problem, 'VALIDATION_FAILED', 'new_password');
    }
    const surplus = { token, new_password: PASSWORD, email: person.email };
    expectProblem(
      await call(400, 'POST', '/v1/auth/reset-password', { key: null, body: surplus }),
      'VALIDATION_FAILED',
      'email',
    );
    await resetPassword(platform, 200, token, 'ÄÖÜ 密码 🔑');
    await logIn(platform, 200, person.email, 'ÄÖÜ 密码 🔑');
  });

  test('the audit log of the company records a password reset', async () => {
    const person = await createPerson(platform, demo._id, 'VIEWER');
    await forgetPassword(platform, person.email);
    await resetPassword(platform, 200, readMailToken(await waitForMail(platform, person.email)), 'entirely new one');
    const { body } = await call(200, 'GET', `/v1/audit?actor=${person._id}&action=auth.reset-password`);
    assert.equal(body.result.length, 1);
    assert.deepEqual(body.result[0].fields, []);
  });
});

/** Returns status, type and body of the answer as they were sent. The request id is fixed, so that two answers can be compared. */
async function refusalBytes(token: string): Promise<string> {
  const response = await fetch(`${platform.url}/v1/auth/reset-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'the-same' },
    body: JSON.stringify({ token, new_password: 'entirely new one' }),
  });
  return `${response.status} ${response.headers.get('content-type')} ${await response.text()}`;
}

describe('GET /v1/auth/me', () => {
  for (const role of USER_ROLES) {
    test(`the token of a user (${role}) shows the company, the role, its scopes and the user`, async () => {
      const person = await createPerson(platform, demo._id, role);
      const { body } = await readMe(200, person.token, { 'x-company-id': 'ignored' });
      const { body: user } = await call(200, 'GET', `/v1/users/${person._id}`);
      const shown = { type: 'user', company: demo._id, scopes: ROLE_SCOPES[role], sandbox_url, role, user };
      assert.deepEqual(body, { ...shown, inboxes: null });
    });
  }

  test('the token of a company key shows its company and the key, whatever x-company-id says, and needs no scope for it', async () => {
    const key = await platform.createKey(demo._id, ['messages:create']);
    const other = await platform.createCompany();
    const { body } = await readMe(200, key.token, { 'x-company-id': other._id });
    const own = { _id: key._id, name: 'test', expires_at: null };
    assert.deepEqual(body, { type: 'company', company: demo._id, scopes: ['messages:create'], sandbox_url, key: own });
  });

  test('the token of a global key shows the company that x-company-id names, or none; an unknown company is answered 404', async () => {
    const key = await platform.createKey(null, ['companies:read']);
    const own = { _id: key._id, name: 'test', expires_at: null };
    for (const [company, headers] of [
      [null, {}],
      [demo._id, { 'x-company-id': demo._id }],
    ] as const) {
      const expected = { type: 'global', company, scopes: ['companies:read'], sandbox_url, key: own };
      assert.deepEqual((await readMe(200, key.token, headers)).body, expected);
    }
    expectProblem(await readMe(404, key.token, { 'x-company-id': 'f'.repeat(24) }), 'NOT_FOUND');
  });

  test('a request without a valid token is answered 401', async () => {
    expectProblem(await call(401, 'GET', '/v1/auth/me', { key: null }), 'UNAUTHORIZED');
    expectProblem(await readMe(401, 'a.b.c'), 'UNAUTHORIZED');
  });
});

test('log-in and password reset answer 503 while the database does not answer, and 500 without details at a defect', async () => {
  const asked = [
    { method: 'POST', path: '/v1/auth/login', scope: '', body: { email: 'a@example.test', password: PASSWORD } },
    { method: 'POST', path: '/v1/auth/reset-password', scope: '', body: { token: 'x', new_password: PASSWORD } },
  ];
  await checkAnswers503(platform, ['users', 'password_tokens'], asked);
  await checkAnswers500(platform, 'users.email', asked);
});
