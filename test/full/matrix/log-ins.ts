/** Prepares log-ins by authenticator apps, passkeys and single sign-on for the samples. */
import { TOTP } from 'otpauth';
import { makeTicket } from '../../../src/platform/http/session-cookie.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { createJar } from '../../support/cookies.ts';
import { CLIENT, startProvider, type Provider } from '../../support/openid.ts';
import type { Platform } from '../../support/platform.ts';
import { findId, type FullCompany } from './companies.ts';

const APP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** Gives every user of the company the same authenticator app, or one that is being set up, or none, and takes their passkeys away. */
export const givesApp =
  (state: 'totp_secret' | 'totp_pending' | null) =>
  async ({ database, running }: Platform, own: FullCompany): Promise<void> => {
    const users = await database.sql<{ email: string }>(
      'select lower(email) as email from users where company_id = $1',
      [own._id],
    );
    for (const { email } of users) {
      const sealed = running.kit.secrets.seal(APP_SECRET, `people:${email}:totp`);
      await database.sql(
        `update people set totp_step = 0, totp_secret = case when $2 = 'totp_secret' then $3 end,
          totp_pending = case when $2 = 'totp_pending' then $3 end where email = $1`,
        [email, state, sealed],
      );
      await database.sql('delete from passkeys where email = $1', [email]);
    }
  };

export const withoutFactors = givesApp(null);
export const makeCode = (): string => new TOTP({ secret: APP_SECRET }).generate();

/** Finds the user who calls: of the owners who may log in, the newest. */
async function findCaller({ database }: Platform, own: FullCompany): Promise<{ _id: string; email: string }> {
  const [owner] = await database.sql<{ _id: string; email: string }>(
    `select _id, lower(email) as email from users where company_id = $1 and role = 'OWNER' and status = 'ACTIVE'
      order by created_at desc, _id desc limit 1`,
    [own._id],
  );
  if (!owner) throw new Error('a company without an owner');
  return owner;
}

function makeTicketCookie({ running }: Platform, challenge: string, user: string | null): string {
  return makeTicket(running.kit, 'passkey', { challenge, user }).split(';')[0] ?? '';
}

const openAuthenticator = ({ running }: Platform) => {
  const { origin, hostname } = new URL(running.kit.config.PUBLIC_URL);
  // A challenge is accepted once.
  const challenge = Buffer.from(newId()).toString('base64url');
  return { key: createAuthenticator(origin), options: { challenge, rpId: hostname, rp: { id: hostname } } };
};

/** Gives the caller a passkey, and prepares its answer to a log-in. */
export async function addPasskey(platform: Platform, own: FullCompany): Promise<void> {
  await addPasskeyOf(platform, own, (await findCaller(platform, own)).email);
}

/** The same for the user among the records of the company. */
export async function addPasskeyOfUser(platform: Platform, own: FullCompany): Promise<void> {
  await addPasskeyOf(platform, own, `${own.marker}@example.test`);
}

async function addPasskeyOf(platform: Platform, own: FullCompany, email: string): Promise<void> {
  const { key, options } = openAuthenticator(platform);
  const id = newId();
  await platform.database.sql('delete from passkeys where email = $1', [email]);
  await platform.database.sql(
    `insert into passkeys (email, _id, name, credential_id, public_key, counter, transports) values ($1, $2, $3, $4, $5, 0, '{}')`,
    [email, id, own.marker, key.id, key.publicKey],
  );
  own.records.passkey = id;
  const passkey = JSON.stringify(key.get(options));
  own.fresh = { passkey: id, answer: passkey, cookie: makeTicketCookie(platform, options.challenge, null) };
}

/** Prepares the answer to a registration by the caller. */
export async function beginPasskey(platform: Platform, own: FullCompany): Promise<void> {
  await withoutFactors(platform, own);
  const { _id } = await findCaller(platform, own);
  const { key, options } = openAuthenticator(platform);
  own.fresh = {
    answer: JSON.stringify(key.create(options)),
    cookie: makeTicketCookie(platform, options.challenge, _id),
  };
}

const domainOf = ({ _id }: FullCompany): string => `c${_id}.test`;

/** Stores a provider that the outgoing guard refuses, so that nothing is called. */
export async function setProvider({ database }: Platform, own: FullCompany, issuer = 'http://10.0.0.1'): Promise<void> {
  await database.sql(
    `insert into single_sign_on (company_id, enabled, issuer, client_id, create_users, role, trust_unverified_email)
      values ($1, true, $2, 'parley', true, 'VIEWER', true) on conflict (company_id) do update set issuer = $2, client_secret = null,
        updated_at = now()`,
    [own._id, issuer],
  );
  await database.sql('insert into single_sign_on_domains values ($1, $2) on conflict do nothing', [
    own._id,
    domainOf(own),
  ]);
}

/** Links a user with an account at a provider. */
export const linkUser = ({ database }: Platform, id: string): Promise<unknown> =>
  database.sql(
    `update users set single_sign_on_issuer = 'https://id.example', single_sign_on_subject = _id where _id = $1`,
    [id],
  );

/** The same for the caller. */
export const linkCaller = async (platform: Platform, own: FullCompany): Promise<void> =>
  void (await linkUser(platform, (await findCaller(platform, own))._id));

let provider: Promise<Provider> | null = null;

/** Stores a provider that answers. */
export async function beginAtProvider(platform: Platform, own: FullCompany): Promise<Provider> {
  provider ??= startProvider();
  const open = await provider;
  await setProvider(platform, own, open.issuer);
  const body = { ...CLIENT, issuer: open.issuer, domains: [domainOf(own)], enabled: true, create_users: true };
  const headers = { 'x-company-id': own._id };
  await platform.call(200, 'PUT', '/v1/single-sign-on', { key: platform.globalKey, headers, body });
  return open;
}

/** Comes back from the provider, as the user among the records of the company. */
export async function returnFromProvider(platform: Platform, own: FullCompany): Promise<void> {
  await withoutFactors(platform, own);
  const open = await beginAtProvider(platform, own);
  const email = `ana@${domainOf(own)}`;
  open.behave({ claims: { sub: own._id, email, email_verified: true } });
  await platform.database.sql(
    'update users set single_sign_on_issuer = $1, single_sign_on_subject = $2 where _id = $3',
    [open.issuer, own._id, findId(own, 'user')],
  );
  const jar = createJar(platform);
  const { body } = await jar.send(200, 'POST', '/v1/auth/single-sign-on', { body: { email } });
  const answer = await fetch(body.redirect_to, { redirect: 'manual' });
  const query = new URL(answer.headers.get('location') ?? '').search.slice(1);
  own.fresh = { query, cookie: `parley_sso=${jar.cookies.get('parley_sso')}` };
}
