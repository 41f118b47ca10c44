/** Users for tests, with their mails, links and sessions. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser, type ParsedMail } from 'mailparser';
import type { UserRole } from '../../src/platform/values/scopes.ts';
import type { Answer, Json, Platform } from './platform.ts';
import { waitUntil } from './wait.ts';

/** The header with which a browser sends the requests of the platform's own pages. */
export const FROM_PAGE = { 'sec-fetch-site': 'same-origin' };

/** The password of every user that `platform.createUser` creates. */
export const PASSWORD = 'correct horse battery';

export interface Person {
  _id: string;
  /** The token of a session that lasts an hour. */
  token: string;
  email: string;
}

/** Creates an active user with PASSWORD. */
export async function createPerson(platform: Platform, company: string, role: UserRole): Promise<Person> {
  const user = await platform.createUser(company, role);
  const headers = { 'x-company-id': company };
  const { body } = await platform.call(200, 'GET', `/v1/users/${user._id}`, { key: platform.globalKey, headers });
  return { ...user, email: body.email };
}

let people = 0;
/** Returns a mail address that no other user in the test file has. */
export const freshEmail = (name = 'person'): string => `${name}-${(people += 1)}@example.test`;

/** Returns all mails to this address, oldest first. */
export async function readMails({ dataDir }: Platform, email: string): Promise<ParsedMail[]> {
  const folder = join(dataDir, 'mail');
  // Failure policy: the folder does not exist before the first mail.
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).toSorted();
  const mails = await Promise.all(names.map(async (name) => simpleParser(await readFile(join(folder, name)))));
  return mails.filter(({ to }) => [to ?? []].flat().some(({ text }) => text === email));
}

/** Waits for the mail number `count` to this address, counted from 1. */
export function waitForMail(platform: Platform, email: string, count = 1): Promise<ParsedMail> {
  return waitUntil(`mail ${count} to ${email}`, async () => (await readMails(platform, email))[count - 1]);
}

/** Returns the token in the link of a mail. */
export function readMailToken({ text = '' }: ParsedMail): string {
  const [, token] = /\/set-password#token=([\w-]+)[\s&]/.exec(text) ?? [];
  if (!token) throw new Error(`no link in: ${text}`);
  return token;
}

export function logIn(platform: Platform, status: number, email: string, password = PASSWORD): Promise<Answer> {
  return platform.call(status, 'POST', '/v1/auth/login', { key: null, body: { email, password } });
}

export function logInto(platform: Platform, status: number, email: string, company: string): Promise<Answer> {
  const body = { email, password: PASSWORD, company };
  return platform.call(status, 'POST', '/v1/auth/login', { key: null, body });
}

export function acceptInvitation(platform: Platform, status: number, token: string): Promise<Answer> {
  return platform.call(status, 'POST', '/v1/auth/accept-invitation', { key: null, body: { token } });
}

/** Makes the last mail to this address a minute older, because the platform refuses a second mail within a minute. */
export const allowAnotherMail = ({ database }: Platform, email: string): Promise<unknown> =>
  database.sql(`update mailed_links set mailed_at = mailed_at - interval '1 minute' where email = lower($1)`, [email]);

/** Waits until no mail with a link is waiting to be sent; postponed mails do not count. */
export function waitForAllMails({ database }: Platform): Promise<unknown> {
  return waitUntil('the mails to be sent', async () => {
    const pending = await database.sql(
      `select from pgboss.job where name like 'users.send-%' and state < 'completed' and start_after < now() + interval '30 seconds'`,
    );
    return pending.length === 0;
  });
}

export function forgetPassword(platform: Platform, email: string): Promise<Answer> {
  return platform.call(200, 'POST', '/v1/auth/forgot-password', { key: null, body: { email } });
}

export function resetPassword(platform: Platform, status: number, token: string, password: string): Promise<Answer> {
  const body = { token, new_password: password };
  return platform.call(status, 'POST', '/v1/auth/reset-password', { key: null, body });
}

/** Returns the claims of a token, without checking its signature. */
export const readClaims = (token: string): Json =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Json;
