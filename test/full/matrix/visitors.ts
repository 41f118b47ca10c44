/**
 * Checks that a caller without a token learns nothing from the public operations: neither who has an account, nor why a request is refused.
 */
import { hashToken } from '../../../src/platform/http/auth.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { freshEmail, PASSWORD } from '../../support/people.ts';
import type { Json, Platform } from '../../support/platform.ts';
import {
  sendAndCheck,
  areSameAnswers,
  buildValidRequest,
  type Findings,
  type MatrixAnswer,
  type CompanyPair,
} from './asking.ts';
import type { Caller } from './callers.ts';
import { findId } from './companies.ts';
import type { Operation } from './document.ts';

const VISITOR: Caller = { name: 'nobody', token: null, refusal: null };

export async function checkPublicOperations(
  pair: CompanyPair,
  operations: Operation[],
  account: Findings,
): Promise<void> {
  const { platform, own } = pair;
  const put = (path: string, body: Json): Promise<MatrixAnswer> => {
    const operation = operations.find(({ name }) => name === `POST /v1/auth/${path}`) as Operation;
    return sendAndCheck(pair, account, { caller: VISITOR, asking: { ...buildValidRequest(operation, own), body } });
  };
  const check = (what: string, unknown: MatrixAnswer, answer: MatrixAnswer): void => {
    if (!areSameAnswers(unknown, answer))
      account.faults.push(`${what}: ${answer.text.slice(0, 300)}, not ${unknown.text}`);
  };
  const emails = await createUsersWhoCannotLogIn(platform);
  const nobody = await put('login', { email: freshEmail('nobody'), password: PASSWORD });
  if (nobody.status !== 401) account.faults.push(`nobody logs in: ${nobody.text}`);
  const known = `${own.marker}@example.test`;
  check('a wrong password', nobody, await put('login', { email: known, password: `${PASSWORD}!` }));
  for (const [who, email] of Object.entries(emails))
    check(who, nobody, await put('login', { email, password: PASSWORD }));
  const asked = await put('forgot-password', { email: freshEmail('nobody') });
  for (const [who, email] of Object.entries({ ...emails, known }))
    check(`${who} forgot`, asked, await put('forgot-password', { email }));
  const unknown = await put('reset-password', { token: newId(), new_password: PASSWORD });
  if (unknown.status !== 400) account.faults.push(`an unknown link works: ${unknown.text}`);
  for (const [why, token] of Object.entries(await createUselessLinks(platform, own._id, findId(own, 'user')))) {
    check(`${why} link`, unknown, await put('reset-password', { token, new_password: PASSWORD }));
    check(`${why} link, to read`, unknown, await put('read-link', { token }));
    check(`${why} link, to accept`, unknown, await put('accept-invitation', { token }));
    check(`${why} link, to log in`, unknown, await put('session/link', { token }));
  }
}

/** Creates users who cannot log in, although their address and password are right. */
async function createUsersWhoCannotLogIn(platform: Platform): Promise<Record<string, string>> {
  const { sql } = platform.database;
  const [open, closed] = [await platform.createCompany(), await platform.createCompany()];
  await sql(`update companies set status = 'SUSPENDED' where _id = $1`, [closed._id]);
  const make = async (company: string, change: string): Promise<string> => {
    const { _id } = await platform.createUser(company, 'OWNER');
    const [row] = await sql<{ email: string }>(`update users set ${change} where _id = $1 returning email`, [_id]);
    return row?.email ?? '';
  };
  return {
    'a deactivated user': await make(open._id, `status = 'INACTIVE'`),
    'an invited user': await make(open._id, `status = 'INVITED', accepted_at = null`),
    'a user of a suspended company': await make(closed._id, 'name = name'),
  };
}

/** Creates an expired link, and a link of a user who has been deactivated since. A used link is not needed, because it is deleted. */
async function createUselessLinks(platform: Platform, company: string, user: string): Promise<Record<string, string>> {
  const gone = await platform.createUser(company, 'VIEWER');
  const { sql } = platform.database;
  await sql(`update users set status = 'INACTIVE' where _id = $1`, [gone._id]);
  const insert = async (owner: string, hours: number): Promise<string> => {
    const token = newId();
    await sql(
      `insert into password_tokens (token_hash, company_id, user_id, expires_at) values ($1, $2, $3, now() + make_interval(hours => $4))`,
      [hashToken(token), company, owner, hours],
    );
    return token;
  };
  return { 'an expired': await insert(user, -1), "a deactivated user's": await insert(gone._id, 1) };
}
