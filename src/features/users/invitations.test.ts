/** Tests of invitations: the mail, its link, and who may use the link. */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
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
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { hashToken } from '../../platform/http/auth.ts';
import { ROLE_SCOPES } from '../../platform/values/scopes.ts';
import { sendInvitation } from './send-links.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
const { kit } = platform.running;

async function invite(more: object = {}): Promise<Json> {
  const body = { name: 'Ana Souza', email: freshEmail('ana'), role: 'VIEWER', ...more };
  return (await call(201, 'POST', '/v1/users', { body })).body;
}
const change = (id: string, body: object) => call(200, 'PATCH', `/v1/users/${id}`, { body });
const readStatus = async (id: string): Promise<string> => (await call(200, 'GET', `/v1/users/${id}`)).body.status;

async function assertRefused(token: string): Promise<void> {
  expectProblem(await resetPassword(platform, 400, token, PASSWORD), 'INVALID_RESET_TOKEN');
}

const readLink = async (status: number, token: string): Promise<Json> =>
  (await call(status, 'POST', '/v1/auth/read-link', { key: null, body: { token } })).body;

for (const [language, subject] of [
  ['pt-BR', 'Seu acesso a Demo no Parley'],
  ['en', 'Your access to Demo on Parley'],
  ['es', 'Su acceso a Demo en Parley'],
] as const) {
  test(`an invited user gets one mail in their language (${language}), whose link sets the password once`, async () => {
    const { _id, email } = await invite({ language, name: 'Ана Söuza' });
    const mail = await waitForMail(platform, email);
    assert.equal(mail.subject, subject);
    assert.match(mail.text ?? '', /Ана Söuza/);
    assert.ok(mail.html && mail.html.includes(`<html lang="${language}">`));
    const token = readMailToken(mail);
    assert.ok(mail.text?.includes(`\n${platform.url}/set-password#token=${token}\n`), 'at the address of the platform');
    assert.equal(Buffer.from(token, 'base64url').length, 32);
    await logIn(platform, 401, email);
    assert.deepEqual((await resetPassword(platform, 200, token, PASSWORD)).body, { ok: true });
    assert.equal(await readStatus(_id), 'ACTIVE');
    assert.equal((await logIn(platform, 200, email)).body.user._id, _id);
    await assertRefused(token);
    assert.equal((await readMails(platform, email)).length, 1);
  });
}

test('of many requests that use a mailed link at the same moment one sets its password, and the others are refused', async () => {
  const { email } = await invite();
  const token = readMailToken(await waitForMail(platform, email));
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const password = `${PASSWORD} ${index}`;
      const { status } = await fetch(`${platform.url}/v1/auth/reset-password`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, new_password: password }),
      });
      return { status, password };
    }),
  );
  const [set, ...more] = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 400);
  assert.deepEqual([more.length, refused.length], [0, answers.length - 1]);
  await logIn(platform, 200, email, set?.password);
  await logIn(platform, 401, email, refused[0]?.password);
});

test('an invitation without a language is in that of the user who invites, or else in that of the company', async () => {
  const company = await platform.createCompany();
  const ask = async (key: string): Promise<string> => {
    const body = { name: 'Ana Souza', email: freshEmail('ana'), role: 'VIEWER' };
    const { language } = (await call(201, 'POST', '/v1/users', { key, body })).body;
    return language;
  };
  assert.equal(await ask(company.key), 'pt-BR');
  const settings = { general_config: { language: 'en' } };
  await call(200, 'PATCH', `/v1/companies/${company._id}`, { key: company.key, body: settings });
  assert.equal(await ask(company.key), 'en');
  const inviter = await platform.createUser(company._id, 'ADMIN');
  await call(200, 'PATCH', `/v1/users/${inviter._id}`, { key: company.key, body: { language: 'es' } });
  assert.equal(await ask(inviter.token), 'es');
});

test('a mail that is written as a file is readable only for the system user of the platform, and its token is stored nowhere else', async () => {
  const { _id, email } = await invite();
  const token = readMailToken(await waitForMail(platform, email));
  const folder = join(platform.dataDir, 'mail');
  for (const name of await readdir(folder)) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
  const [row] = await database.sql<Json>(
    'select *, extract(epoch from expires_at - created_at) / 3600 as hours from password_tokens where user_id = $1 and token_hash = $2',
    [_id, hashToken(token)],
  );
  assert.equal(row.company_id, demo._id);
  assert.equal(Number(row.hours).toFixed(3), '72.000');
  const jobs = await database.sql<{ data: string }>('select data::text from pgboss.job');
  assert.ok(jobs.length > 0 && jobs.every(({ data }) => !data.includes(token)));
});

test('the link of an invitation expires after 72 hours; a request for a forgotten password then sends the invitation again', async () => {
  const { _id, email } = await invite();
  const first = readMailToken(await waitForMail(platform, email));
  await database.sql(`update password_tokens set expires_at = now() where user_id = $1`, [_id]);
  await assertRefused(first);
  await allowAnotherMail(platform, email);
  await forgetPassword(platform, email);
  const again = await waitForMail(platform, email, 2);
  assert.match(again.subject ?? '', /^Seu acesso/);
  await resetPassword(platform, 200, readMailToken(again), PASSWORD);
  await logIn(platform, 200, email);
});

test('a new address of an invited user gets its own link, and the link to the old address stops working', async () => {
  const { _id, email } = await invite();
  const old = readMailToken(await waitForMail(platform, email));
  const moved = freshEmail('moved');
  assert.equal((await change(_id, { email: moved })).body.status, 'INVITED');
  const token = readMailToken(await waitForMail(platform, moved));
  await assertRefused(old);
  await resetPassword(platform, 200, token, PASSWORD);
  await logIn(platform, 401, email);
  await logIn(platform, 200, moved);
});

test('a mail that is being written while the address changes has no link that works', async () => {
  const { _id, email } = await invite();
  await waitForMail(platform, email);
  await allowAnotherMail(platform, email);
  const moved = freshEmail('moved');
  // The job is as slow as possible: the address changes right after the job has read the old address.
  const system = { ...kit.database.system(`company:${demo._id}`) };
  const { query } = system;
  system.query = async (statement) => {
    const rows = await query(statement);
    if (statement.name === 'users.findAccount') await change(_id, { email: moved });
    return rows as never;
  };
  await sendInvitation(
    { ...kit, database: { ...kit.database, system: () => system } },
    { company: demo._id, user: _id },
  );
  await waitForMail(platform, moved);
  for (const mail of await readMails(platform, email)) await assertRefused(readMailToken(mail));
  await resetPassword(platform, 200, readMailToken(await waitForMail(platform, moved)), PASSWORD);
});

test('changes of a user other than the address or the status send no mail, and only a user with a password is ACTIVE', async () => {
  const { _id, email } = await invite();
  const token = readMailToken(await waitForMail(platform, email));
  for (const body of [{ name: 'Other' }, { role: 'OPERATOR' }, { language: 'en' }]) {
    assert.equal((await change(_id, body)).body.status, 'INVITED');
  }
  await change(_id, { status: 'INACTIVE' });
  await assertRefused(token);
  await forgetPassword(platform, email);
  await waitForAllMails(platform);
  await allowAnotherMail(platform, email);
  assert.equal((await change(_id, { status: 'ACTIVE' })).body.status, 'INVITED');
  const second = await waitForMail(platform, email, 2);
  assert.equal(second.subject, 'Your access to Demo on Parley');
  await resetPassword(platform, 200, readMailToken(second), PASSWORD);
  assert.equal(await readStatus(_id), 'ACTIVE');
  assert.equal((await readMails(platform, email)).length, 2);
});

test('an invitation is not sent when its user or company is gone, and its link is refused', async () => {
  const removed = await invite();
  const dead = readMailToken(await waitForMail(platform, removed.email));
  await call(200, 'DELETE', `/v1/users/${removed._id}`);
  await assertRefused(dead);
  const company = await platform.createCompany();
  const body = { name: 'Ana', email: freshEmail(), role: 'VIEWER' };
  const { body: suspended } = await call(201, 'POST', '/v1/users', { key: company.key, body });
  const token = readMailToken(await waitForMail(platform, suspended.email));
  const patch = (status: string) =>
    call(200, 'PATCH', `/v1/companies/${company._id}`, { key: platform.globalKey, body: { status } });
  await patch('SUSPENDED');
  await assertRefused(token);
  for (const { company: of, _id, email } of [removed, suspended]) {
    await allowAnotherMail(platform, email);
    await sendInvitation(kit, { company: of, user: _id });
  }
  await waitForAllMails(platform);
  assert.equal((await readMails(platform, removed.email)).length, 1);
  assert.equal((await readMails(platform, suspended.email)).length, 1);
  await patch('ACTIVE');
  await resetPassword(platform, 200, token, PASSWORD);
});

test('where no mail can be sent, only the answer to an invitation has its link, and the link sets no password that a person has', async () => {
  const { invitation_link: link, ...user } = await invite();
  const token = /#token=(shown\.[\w-]{43})&accept$/.exec(link)?.[1] ?? '';
  assert.deepEqual((await call(200, 'GET', `/v1/users/${user._id}`)).body, user);
  const company = await platform.createCompany();
  const scopes = [...ROLE_SCOPES.VIEWER, 'users:update'];
  const more = (await call(201, 'POST', '/v1/api-keys', { body: { name: 'x', type: 'company', scopes } })).body;
  const again = (key: string) => call(200, 'PATCH', `/v1/users/${user._id}`, { key, body: { status: 'ACTIVE' } });
  assert.equal((await again(more.token)).body.invitation_link, undefined);
  assert.match((await again(demo.key)).body.invitation_link, /&accept$/);
  expectProblem(
    await call(400, 'POST', '/v1/auth/accept-invitation', { key: null, body: { token } }),
    'PASSWORD_REQUIRED',
  );
  const facts = { invitation: true, company: demo._id, company_name: 'Demo', name: 'Ana Souza', email: user.email };
  assert.deepEqual(await readLink(200, token), facts);
  await resetPassword(platform, 200, token, PASSWORD);
  await logIn(platform, 200, user.email);

  const body = { name: 'Ana Souza', email: user.email, role: 'VIEWER' };
  const known = (await call(201, 'POST', '/v1/users', { key: company.key, body })).body;
  const other = /#token=(.*)&accept$/.exec(known.invitation_link)?.[1] ?? '';
  const { name: company_name = '' } = (await call(200, 'GET', `/v1/companies/${company._id}`, { key: company.key }))
    .body;
  assert.deepEqual(
    await readLink(200, other),
    { ...facts, company: company._id, company_name },
    'it hides the password',
  );
  expectProblem(await resetPassword(platform, 400, other, 'entirely new one'), 'INVALID_RESET_TOKEN');
  await call(200, 'POST', '/v1/auth/accept-invitation', { key: null, body: { token: other } });
  await logIn(platform, 200, user.email);
});

test('a mailed link says whom it is for as long as it is valid, however often it is read', async () => {
  const { email } = await invite();
  const token = readMailToken(await waitForMail(platform, email));
  const facts = { company: demo._id, company_name: 'Demo', name: 'Ana Souza', email };
  for (let read = 0; read < 2; read += 1)
    assert.deepEqual(await readLink(200, token), { invitation: true, ...facts, has_password: false });
  await resetPassword(platform, 200, token, PASSWORD);
  for (const unusable of [token, 'unknown']) assert.equal((await readLink(400, unusable)).code, 'INVALID_RESET_TOKEN');
  await allowAnotherMail(platform, email);
  await forgetPassword(platform, email);
  const reset = readMailToken(await waitForMail(platform, email, 2));
  assert.deepEqual(await readLink(200, reset), { invitation: false, ...facts, has_password: true });
});
