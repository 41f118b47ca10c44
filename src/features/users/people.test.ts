/** A person in several companies has one password and one user in each company, and no company affects another. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  acceptInvitation,
  createPerson,
  forgetPassword,
  freshEmail,
  logIn,
  logInto,
  waitForAllMails,
  allowAnotherMail,
  PASSWORD,
  readMails,
  resetPassword,
  readMailToken,
  waitForMail,
  type Person,
} from '../../../test/support/people.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { hashToken } from '../../platform/http/auth.ts';

const platform = await startPlatform();
const { call, database } = platform;

type Company = Awaited<ReturnType<typeof platform.createCompany>>;

const invite = (status: number, { key }: Company, email: string, role = 'VIEWER'): Promise<Answer> =>
  call(status, 'POST', '/v1/users', { key, body: { name: 'Ana Souza', email, role, language: 'en' } });
const change = (status: number, { key }: Company, id: string, body: object): Promise<Answer> =>
  call(status, 'PATCH', `/v1/users/${id}`, { key, body });
const readMe = async (status: number, key: string): Promise<Json> =>
  (await call(status, 'GET', '/v1/auth/me', { key })).body;
const sessionToken = ({ body }: Answer): string => body.access_token as string;

/** Creates a person of one company whom another company has invited, and returns the token of the invitation. */
async function createInvitedPerson() {
  const [home, other] = [await platform.createCompany('Home'), await platform.createCompany('Other')];
  const person = await createPerson(platform, home._id, 'ADMIN');
  const { body: guest } = await invite(201, other, person.email);
  const mail = await waitForMail(platform, person.email);
  return { home, other, person, guest, mail, token: readMailToken(mail) };
}

/** Creates a person of one company who has accepted the invitation of another company. */
async function createJoinedPerson() {
  const scene = await createInvitedPerson();
  await acceptInvitation(platform, 200, scene.token);
  return scene;
}

const readStatus = async ({ key }: Company, id: string): Promise<string> =>
  (await call(200, 'GET', `/v1/users/${id}`, { key })).body.status;

test('an invitation and its record are the same whether or not other companies know the address', async () => {
  const company = await platform.createCompany();
  const known = await createPerson(platform, (await platform.createCompany())._id, 'OWNER');
  const answers = [await invite(201, company, known.email), await invite(201, company, freshEmail('nobody'))];
  const records = await Promise.all(
    answers.map(({ body }) => call(200, 'GET', `/v1/users/${body._id}`, { key: company.key })),
  );
  for (const [{ body: a, headers: first }, { body: b, headers: second }] of [answers, records] as [Answer, Answer][]) {
    const chance = { _id: '', email: '', createdAt: '', updatedAt: '', invitation_link: '' };
    assert.deepEqual({ ...a, ...chance }, { ...b, ...chance });
    assert.deepEqual([...first.keys()].toSorted(), [...second.keys()].toSorted());
  }
  expectProblem(await invite(409, company, known.email.toUpperCase()), 'USER_EXISTS', 'email');
});

test('a person with a password accepts an invitation by its link and keeps the password; the link works once', async () => {
  const { home, other, person, guest, mail, token } = await createInvitedPerson();
  assert.equal(mail.subject, 'Your access to Other on Parley');
  assert.match(mail.text ?? '', /Your password stays the same/);
  assert.match(mail.text ?? '', /#token=[\w-]+&accept\n/);
  await logInto(platform, 401, person.email, other._id);
  assert.deepEqual((await acceptInvitation(platform, 200, token)).body, { ok: true });
  assert.equal(await readStatus(other, guest._id), 'ACTIVE');
  await readMe(200, person.token);
  for (const company of [home, other]) {
    const { user } = (await logInto(platform, 200, person.email, company._id)).body;
    assert.equal(user.company, company._id);
  }
  for (const use of [acceptInvitation(platform, 400, token), resetPassword(platform, 400, token, PASSWORD)])
    expectProblem(await use, 'INVALID_RESET_TOKEN');
  const { body } = await call(200, 'GET', `/v1/audit?actor=${guest._id}&action=auth.accept-invitation`, other);
  assert.equal(body.result.length, 1);
});

test('a person without a password is asked to set one with the same link', async () => {
  const company = await platform.createCompany();
  const email = freshEmail('novice');
  await invite(201, company, email);
  const token = readMailToken(await waitForMail(platform, email));
  expectProblem(await acceptInvitation(platform, 400, token), 'PASSWORD_REQUIRED');
  await resetPassword(platform, 200, token, PASSWORD);
  await logIn(platform, 200, email);
});

test('only the link of an invitation accepts an invitation', async () => {
  const { other, person, guest } = await createInvitedPerson();
  await forgetPassword(platform, person.email);
  const reset = readMailToken(await waitForMail(platform, person.email, 2));
  expectProblem(await acceptInvitation(platform, 400, reset), 'INVALID_RESET_TOKEN');
  await resetPassword(platform, 200, reset, 'entirely new one');
  assert.equal(await readStatus(other, guest._id), 'INVITED', 'a new password accepts nothing');
  for (const token of ['x', 'A'.repeat(43)])
    expectProblem(await acceptInvitation(platform, 400, token), 'INVALID_RESET_TOKEN');
});

test('a log-in uses the company that the request names, or the one used last; a company without that person is refused like a wrong password', async () => {
  const { home, other, person } = await createJoinedPerson();
  const used = async (): Promise<string> => (await logIn(platform, 200, person.email)).body.user.company;
  for (const company of [other, home, other]) {
    const session = sessionToken(await logInto(platform, 200, person.email, company._id));
    assert.equal((await readMe(200, session)).company, company._id);
    assert.equal(await used(), company._id);
  }
  const stranger = await platform.createCompany();
  const wrong = await logIn(platform, 401, person.email, 'another password');
  const { request_id: _id, ...refusal } = wrong.body;
  for (const id of [stranger._id, 'f'.repeat(24)]) {
    const { request_id: _own, ...body } = (await logInto(platform, 401, person.email, id)).body;
    assert.deepEqual(body, refusal);
  }
});

test('a new password is valid in all companies of the person, and ends the sessions and links in each but no one else’s; invitations that are not accepted stay valid', async () => {
  const { home, other, person } = await createJoinedPerson();
  const colleague = await createPerson(platform, home._id, 'OPERATOR');
  const third = await platform.createCompany('Third');
  const { body: pending } = await invite(201, third, person.email);
  const invitation = readMailToken(await waitForMail(platform, person.email, 2));
  const sessions = [person.token];
  for (const { _id } of [home, other]) sessions.push(sessionToken(await logInto(platform, 200, person.email, _id)));
  await forgetPassword(platform, person.email);
  const first = readMailToken(await waitForMail(platform, person.email, 3));
  await allowAnotherMail(platform, person.email);
  await forgetPassword(platform, person.email);
  await resetPassword(platform, 200, readMailToken(await waitForMail(platform, person.email, 4)), 'entirely new one');
  for (const session of sessions) await readMe(401, session);
  await readMe(200, colleague.token);
  expectProblem(await resetPassword(platform, 400, first, PASSWORD), 'INVALID_RESET_TOKEN');
  for (const company of [home, other]) {
    await logInto(platform, 401, person.email, company._id);
    const { body } = await call(200, 'GET', '/v1/audit?action=auth.reset-password', company);
    assert.equal(body.result.length, 1, 'each company is told why the sessions ended');
  }
  await logIn(platform, 200, person.email, 'entirely new one');
  await acceptInvitation(platform, 200, invitation);
  assert.equal(await readStatus(third, pending._id), 'ACTIVE');
});

test('a person who sets a new password while accepting an invitation loses the sessions in other companies', async () => {
  const { other, guest, person, token } = await createInvitedPerson();
  await resetPassword(platform, 200, token, 'entirely new one');
  await readMe(401, person.token);
  await logIn(platform, 401, person.email);
  assert.equal((await logIn(platform, 200, person.email, 'entirely new one')).status, 200);
  assert.equal(await readStatus(other, guest._id), 'ACTIVE');
});

test('a company that deactivates or removes a user, or is suspended, locks out its own user and no one of another company', async () => {
  const OUT: ((scene: { other: Company; guest: Json }) => Promise<unknown>)[] = [
    ({ other, guest }) => change(200, other, guest._id, { status: 'INACTIVE' }),
    ({ other, guest }) => call(200, 'DELETE', `/v1/users/${guest._id}`, other),
    ({ other }) => {
      const body = { status: 'SUSPENDED' };
      return call(200, 'PATCH', `/v1/companies/${other._id}`, { key: platform.globalKey, body });
    },
  ];
  for (const shutOut of OUT) {
    const { home, other, person, guest } = await createJoinedPerson();
    const session = sessionToken(await logInto(platform, 200, person.email, other._id));
    await shutOut({ other, guest });
    await readMe(401, session);
    await readMe(200, person.token);
    await logInto(platform, 401, person.email, other._id);
    assert.equal((await logIn(platform, 200, person.email)).body.user.company, home._id);
    await forgetPassword(platform, person.email);
    await resetPassword(platform, 200, readMailToken(await waitForMail(platform, person.email, 2)), PASSWORD);
  }
});

test('a company that changes a user’s address only invites that address: it never gets access to the account of another person', async () => {
  const [attacker, home] = [await platform.createCompany(), await platform.createCompany()];
  const victim = await createPerson(platform, home._id, 'OWNER');
  await createPerson(platform, attacker._id, 'OWNER');
  const mole = await createPerson(platform, attacker._id, 'OWNER');
  const session = sessionToken(await logIn(platform, 200, mole.email));
  assert.equal((await change(200, attacker, mole._id, { email: victim.email })).body.status, 'INVITED');
  await readMe(401, session);
  await readMe(200, victim.token);
  await logInto(platform, 401, victim.email, attacker._id);
  await logIn(platform, 401, mole.email);
  assert.equal((await logIn(platform, 200, victim.email)).body.user.company, home._id);
  // Changing the address back gives no access either: the person at the first address has to accept an invitation again.
  await change(200, attacker, mole._id, { email: mole.email });
  await logIn(platform, 401, mole.email);
  await acceptInvitation(platform, 200, readMailToken(await waitForMail(platform, mole.email)));
  await logIn(platform, 200, mole.email);
});

test('a company that has only invited an address has no audit entry about log-ins with that address', async () => {
  const { other, person, guest } = await createInvitedPerson();
  await logInto(platform, 401, person.email, other._id);
  await logIn(platform, 401, person.email, 'another password');
  const { body } = await call(200, 'GET', `/v1/audit?resource=${guest._id}&action=auth.login-refused`, other);
  assert.deepEqual(body.result, []);
});

test('an accepted invitation and a password reset of one person at the same moment are each done or refused, and never answered 5xx', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { home, other, person, guest } = await createJoinedPerson();
    const links = await Promise.all(
      [person, guest].map(async ({ _id }, index) => {
        const token = randomBytes(32).toString('base64url');
        await database.sql(
          `insert into password_tokens (token_hash, company_id, user_id, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
          [hashToken(token), (index === 0 ? home : other)._id, _id],
        );
        return token;
      }),
    );
    const statuses = await Promise.all(
      links.map(async (token, index) => {
        const response = await fetch(`${platform.url}/v1/auth/reset-password`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ token, new_password: `password ${index}` }),
        });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 400],
      'the first one ends the link of the second',
    );
    await logIn(platform, 200, person.email, `password ${statuses.indexOf(200)}`);
  }
});

/** Waits until all enqueued mails are written, and counts those to this address. */
async function countMails({ email }: Pick<Person, 'email'>): Promise<number> {
  await waitForAllMails(platform);
  return (await readMails(platform, email)).length;
}

test('a person who forgot the password gets one mail a minute, whatever the user’s status is, and in however many companies', async () => {
  const [first, second] = [await platform.createCompany(), await platform.createCompany()];
  const email = freshEmail('flooded');
  await invite(201, first, email);
  await waitForMail(platform, email);
  for (let round = 0; round < 3; round += 1) {
    await forgetPassword(platform, email);
    assert.equal(await countMails({ email }), 1, 'who has just been invited is not invited again');
  }
  await allowAnotherMail(platform, email);
  for (let round = 0; round < 3; round += 1) {
    await forgetPassword(platform, email);
    assert.equal(await countMails({ email }), 2);
  }
  const { body: user } = await invite(201, second, email);
  await waitForMail(platform, email, 3);
  for (const status of ['INACTIVE', 'ACTIVE', 'INACTIVE', 'ACTIVE']) {
    await change(200, second, user._id, { status });
    await forgetPassword(platform, email);
    assert.equal(await countMails({ email }), 3);
  }
});

test('a company that removes and invites an address again and again causes one mail a minute, and delays no other company', async () => {
  const [loud, quiet] = [await platform.createCompany('Loud'), await platform.createCompany('Quiet')];
  const email = freshEmail('pestered');
  for (let round = 0; round < 4; round += 1) {
    const { body } = await invite(201, loud, email);
    await waitForAllMails(platform);
    if (round < 3) await call(200, 'DELETE', `/v1/users/${body._id}`, { key: loud.key });
  }
  assert.equal(await countMails({ email }), 1);
  await invite(201, quiet, email);
  assert.match((await waitForMail(platform, email, 2)).subject ?? '', /Quiet/);
  await allowAnotherMail(platform, email);
  await database.sql(
    `update pgboss.job set start_after = now() where name = 'users.send-invitation' and state = 'created'`,
  );
  assert.match((await waitForMail(platform, email, 3)).subject ?? '', /Loud/, 'what was held back comes');
});
