/** The steps that record the examples of passkeys and single sign-on. */
import { createAuthenticator } from '../test/support/authenticator.ts';
import { CLIENT, startProvider } from '../test/support/openid.ts';
import { FROM_PAGE, PASSWORD } from '../test/support/people.ts';
import type { Platform } from '../test/support/platform.ts';
import type { Take } from './example-steps.ts';

const PASSKEYS = '/v1/auth/passkeys';

/** Records how a user registers a passkey and logs in with it. */
async function recordPasskeys(take: Take, platform: Platform): Promise<void> {
  const { token: key } = await platform.createUser(platform.demo._id, 'OPERATOR');
  const page = { key, headers: FROM_PAGE, sendsCookie: true };
  const passkey = createAuthenticator(new URL(platform.running.kit.config.PUBLIC_URL).origin);
  const begun = await take(`POST ${PASSKEYS}/begin`, '', { key, headers: FROM_PAGE, body: { password: PASSWORD } });
  const body = { name: 'Laptop', credential: passkey.create(begun.options) };
  const made = await take(`POST ${PASSKEYS}`, '', { ...page, body });
  await take(`GET ${PASSKEYS}`, '', { key });
  const visitor = { key: null, headers: FROM_PAGE };
  const asked = await take('POST /v1/auth/passkey', '', visitor);
  const answer = { passkey: passkey.get(asked.options) };
  await take('POST /v1/auth/session/passkey', '', { ...visitor, sendsCookie: true, body: answer });
  await take(`PATCH ${PASSKEYS}/{id}`, made._id, { key, body: { name: 'Work laptop' } });
  const proof = {
    password: PASSWORD,
    passkey: passkey.get((await take('POST /v1/auth/passkey', '', visitor)).options),
  };
  await take(`POST ${PASSKEYS}/{id}/remove`, made._id, { ...page, body: proof });
}

/** Records how a company sets its provider, and how a user logs in by it. */
async function recordSingleSignOn(take: Take, platform: Platform): Promise<void> {
  const provider = await startProvider();
  const email = 'nina@example.com';
  provider.behave({ claims: { sub: 'nina', email, email_verified: true, name: 'Nina Alves' } });
  const body = { issuer: provider.issuer, ...CLIENT, domains: ['example.com'], enabled: true, create_users: true };
  const headers = { 'x-company-id': platform.demo._id };
  await take('PUT /v1/single-sign-on', '', { key: platform.globalKey, headers, body });
  await take('GET /v1/single-sign-on');
  await take('POST /v1/single-sign-on/test');
  const visitor = { key: null, headers: FROM_PAGE };
  const { redirect_to } = await take('POST /v1/auth/single-sign-on', '', { ...visitor, body: { email } });
  const back = await fetch(redirect_to, { redirect: 'manual' });
  const query = new URL(back.headers.get('location') ?? '').search.slice(1);
  const { user } = await take('POST /v1/auth/session/single-sign-on', '', {
    ...visitor,
    sendsCookie: true,
    body: { query },
  });
  await take('DELETE /v1/users/{id}/single-sign-on', user._id);
  const { _id, token: key } = await platform.createUser(platform.demo._id, 'OPERATOR');
  await platform.database.sql(
    `update users set single_sign_on_issuer = $1, single_sign_on_subject = _id where _id = $2`,
    [provider.issuer, _id],
  );
  await take('DELETE /v1/auth/single-sign-on', '', { key });
  await take('DELETE /v1/single-sign-on');
}

export async function recordLogIns(take: Take, platform: Platform): Promise<void> {
  await recordPasskeys(take, platform);
  await recordSingleSignOn(take, platform);
}
