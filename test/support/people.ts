/** The people of a test: their mails, the links in them, their sessions. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser, type ParsedMail } from 'mailparser';
import type { UserRole } from '../../src/platform/scopes.ts';
import type { Answer, Json, Platform } from './platform.ts';
import { until } from './wait.ts';

/** Of everybody whom `platform.createUser` makes. */
export const PASSWORD = 'correct horse battery';

export interface Person {
  _id: string;
  /** A session of an hour. */
  token: string;
  email: string;
}

/** Somebody who is there: active, with PASSWORD. */
export async function createPerson(platform: Platform, company: string, role: UserRole): Promise<Person> {
  const user = await platform.createUser(company, role);
  const headers = { 'x-company-id': company };
  const { body } = await platform.call(200, 'GET', `/v1/users/${user._id}`, { key: platform.globalKey, headers });
  return { ...user, email: body.email };
}

let people = 0;
/** An address that nobody else in the file has. */
export const freshEmail = (name = 'person'): string => `${name}-${(people += 1)}@example.test`;

/** All mails to this address, the oldest first. */
export async function readMails({ dataDir }: Platform, email: string): Promise<ParsedMail[]> {
  const folder = join(dataDir, 'mail');
  // Failure policy: the folder comes with the first mail.
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).toSorted();
  const mails = await Promise.all(names.map(async (name) => simpleParser(await readFile(join(folder, name)))));
  return mails.filter(({ to }) => [to ?? []].flat().some(({ text }) => text === email));
}

/** Waits for the mail number `count` to this address. */
export function waitForMail(platform: Platform, email: string, count = 1): Promise<ParsedMail> {
  return until(`mail ${count} to ${email}`, async () => (await readMails(platform, email))[count - 1]);
}

/** The token of the link in a mail. */
export function tokenOf({ text = '' }: ParsedMail): string {
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

/** Another mail to the address within a minute of the last one would be one too many. */
export const passMinute = ({ database }: Platform, email: string): Promise<unknown> =>
  database.sql(`update mailed_links set mailed_at = mailed_at - interval '1 minute' where email = lower($1)`, [email]);

/** Until no mail with a link waits to be written; one that a pause holds back does not count. */
export function mailsWritten({ database }: Platform): Promise<unknown> {
  return until('the mails to be sent', async () => {
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

/** What a token says, unverified. */
export const claimsOf = (token: string): Json =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Json;
