/**
 * Passkeys (WebAuthn). A person registers them for all companies, like the password. A passkey logs a person in without a password, because
 * the device has verified the person, and it is a second factor after the password.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../kit.ts';
import { admitCode } from '../../platform/http/access.ts';
import type { Caller } from '../../platform/http/route.ts';
import { endTicket, isSameOrigin, makeTicket, readTicket } from '../../platform/http/session-cookie.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import { whenTaken } from '../../platform/store/taken.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { AppError, expectFound, forbidden, invalid } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { lockAddress, type Account } from './account-queries.ts';
import {
  deletePasskey,
  findCredential,
  findPasskey,
  insertPasskey,
  listCredentials,
  listPasskeys,
  renamePasskey,
  useChallenge,
  usePasskey,
} from './passkey-queries.ts';
import type { Passkey, PasskeyAnswer, PasskeyCreate, PasskeyOptions, PasskeyProof, PasskeyQuery } from './schemas.ts';
import {
  acceptOwnFactor,
  expectAccount,
  expectPassword,
  mailChange,
  refusePasskey,
  refuseProof,
  type GivenFactor,
  type ProvenPasskey,
} from './second-factor.ts';

const MOST = declareLimit(20, { topic: 'Accounts', what: 'Passkeys of a person', beyond: '400' });
const TICKET = 'passkey';

/** The library is loaded with the first passkey, because most processes never need it. */
const load = () => import('@simplewebauthn/server');

interface Challenge {
  challenge: string;
  /** The user who registers a passkey; null for a log-in. */
  user: string | null;
}

/** Passkeys are for the host of PUBLIC_URL. Browsers make none for a bare IP address. */
function findParty({ config }: Kit): { expectedRPID: string; expectedOrigin: string } {
  const { hostname, origin } = new URL(config.PUBLIC_URL);
  return { expectedRPID: hostname, expectedOrigin: origin };
}

function giveOptions(
  kit: Kit,
  reply: FastifyReply,
  options: { challenge: string },
  user: string | null,
): PasskeyOptions {
  if (!isSameOrigin(reply.request.headers))
    throw forbidden('cookie', "Only a page of the platform's own origin can use passkeys", 'CROSS_ORIGIN');
  reply.header('set-cookie', makeTicket(kit, TICKET, { challenge: options.challenge, user } satisfies Challenge));
  return { options: { ...options } };
}

/**
 * Makes what the browser needs to create a passkey for the calling user, who gives the password and the second factor that they have:
 * otherwise an unattended session would be enough.
 */
export async function beginPasskey(
  kit: Kit,
  caller: Caller,
  proof: PasskeyProof,
  reply: FastifyReply,
): Promise<PasskeyOptions> {
  const account = await expectAccount(caller);
  const { _id, email, name } = account;
  const given = await expectProof(kit, caller, account, { proof, headers: reply.request.headers });
  const { expectedRPID: rpID } = findParty(kit);
  const known = await listCredentials(caller.read, email);
  if (known.length >= MOST) throw invalid('name', `would be one passkey more than ${MOST}`, 'TOO_MANY');
  await caller.tx((tx) => acceptOwnFactor(kit, tx, email, given));
  const { generateRegistrationOptions } = await load();
  const options = await generateRegistrationOptions({
    rpName: 'Parley',
    rpID,
    userName: email,
    userDisplayName: name,
    userID: new Uint8Array(
      createHash('sha256')
        .update(kit.secrets.derive(`passkeys:${email.toLowerCase()}`))
        .digest(),
    ),
    attestationType: 'none',
    excludeCredentials: known.map((id) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return giveOptions(kit, reply, options, _id);
}

interface GivenProof {
  proof: PasskeyProof;
  headers: IncomingHttpHeaders;
}

/** Checks the password, and returns the second factor to accept in the transaction of the change. */
async function expectProof(
  kit: Kit,
  { read }: Caller,
  account: Account,
  { proof: { password, code, passkey }, headers }: GivenProof,
): Promise<GivenFactor> {
  await expectPassword(kit, account, password);
  if (code !== undefined) await admitCode(kit.access, account.email.toLowerCase());
  return { code, passkey: await proveOwnPasskey(kit, read, passkey, headers) };
}

/** Checks the passkey that a user gives to change their second factors; null for none. */
export const proveOwnPasskey = async (
  kit: Kit,
  read: SystemTx,
  answer: PasskeyAnswer | undefined,
  headers: IncomingHttpHeaders,
): Promise<ProvenPasskey | null> =>
  answer ? provePasskey(kit, read, { answer, headers, refuse: refusePasskey }).catch(refuseProof) : null;

/** Stores a new passkey of the calling user. The ticket proves that the same browser has given the password. */
export async function createPasskey(
  kit: Kit,
  caller: Caller,
  { name, credential }: PasskeyCreate,
  reply: FastifyReply,
): Promise<Passkey> {
  const account = await expectAccount(caller);
  const ticket = readTicket<Challenge>(kit, TICKET, reply.request.headers);
  if (ticket?.user !== account._id) throw invalid('credential', 'was not begun in this browser, or has taken too long');
  const { verifyRegistrationResponse } = await load();
  const asked = { ...findParty(kit), expectedChallenge: ticket.challenge, requireUserVerification: true };
  // Failure policy: whatever the library throws means that the browser's answer is not valid.
  const { registrationInfo } = await verifyRegistrationResponse({
    response: toLibrary(credential) as RegistrationResponseJSON,
    ...asked,
  }).catch(() => ({ registrationInfo: undefined }));
  if (!registrationInfo) throw invalid('credential', 'is not valid');
  const { id, publicKey, counter } = registrationInfo.credential;
  const key = {
    email: account.email,
    _id: newId(),
    name,
    credential_id: id,
    public_key: Buffer.from(publicKey),
    counter,
    transports: credential.response.transports ?? [],
  };
  reply.header('set-cookie', endTicket(kit, TICKET));
  const made = await caller.tx(async (tx) => {
    tx.created(key._id);
    await lockAddress(tx, account.email.toLowerCase());
    if ((await listCredentials(tx, account.email)).length >= MOST)
      throw invalid('name', `would be one passkey more than ${MOST}`, 'TOO_MANY');
    await expectFresh(tx, ticket.challenge, () => invalid('credential', 'was sent before'));
    const stored = await insertPasskey(tx, key).catch(refuseKnown);
    await mailChange(kit, tx, account, 'PASSKEY_ADDED');
    return stored;
  });
  kit.access.auth.forget();
  return made;
}

const refuseKnown = whenTaken('passkeys_credential_key', async () => {
  throw invalid('credential', 'is registered already');
});

async function expectFresh(tx: SystemTx, challenge: string, refuse: () => AppError): Promise<void> {
  if ((await useChallenge(tx, createHash('sha256').update(challenge).digest())) === 0) throw refuse();
}

/** The library expects what the browser sends, whose results of extensions are absent where there are none. */
const toLibrary = (credential: object): unknown => ({ clientExtensionResults: {}, ...credential });

export async function pagePasskeys(caller: Caller, query: PasskeyQuery): Promise<Page<Passkey>> {
  const { email } = await expectAccount(caller);
  return listPasskeys(caller.read, email, pageWindow('passkeys', query));
}

export async function renamePasskeyById(caller: Caller, id: string, name: string): Promise<Passkey> {
  const { email } = await expectAccount(caller);
  return caller.tx(async (tx) => expectFound(await renamePasskey(tx, email, id, name)));
}

export async function removePasskey(kit: Kit, caller: Caller, id: string, asked: GivenProof): Promise<Passkey> {
  const account = await expectAccount(caller);
  expectFound(await findPasskey(caller.read, account.email, id));
  const given = await expectProof(kit, caller, account, asked);
  const removed = await caller.tx(async (tx) => {
    await acceptOwnFactor(kit, tx, account.email, given);
    const gone = expectFound(await deletePasskey(tx, account.email, id));
    await mailChange(kit, tx, account, 'PASSKEY_REMOVED');
    return gone;
  });
  kit.access.auth.forget();
  return removed;
}

/** Makes what the browser needs to log in with a passkey. It names no user, so it is the same for everybody. */
export async function beginPasskeyLogIn(kit: Kit, reply: FastifyReply): Promise<PasskeyOptions> {
  const { expectedRPID: rpID } = findParty(kit);
  const { generateAuthenticationOptions } = await load();
  return giveOptions(kit, reply, await generateAuthenticationOptions({ rpID, userVerification: 'required' }), null);
}

/**
 * Checks the answer of a passkey. Throws `refuse()` when it is unknown, belongs to another challenge or browser, has a wrong signature, or a
 * counter that is not higher than before, as that of a copied key would be.
 */
export async function provePasskey(
  kit: Kit,
  read: SystemTx,
  { answer, headers, refuse }: { answer: PasskeyAnswer; headers: IncomingHttpHeaders; refuse(): AppError },
): Promise<ProvenPasskey> {
  const ticket = readTicket<Challenge>(kit, TICKET, headers);
  const key = ticket && ticket.user === null ? await findCredential(read, answer.id) : null;
  if (!ticket || !key) throw refuse();
  const { verifyAuthenticationResponse } = await load();
  const credential = { id: key.credential_id, publicKey: new Uint8Array(key.public_key), counter: key.counter };
  // Failure policy: whatever the library throws means that the answer is not valid.
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: toLibrary(answer) as AuthenticationResponseJSON,
    ...findParty(kit),
    expectedChallenge: ticket.challenge,
    requireUserVerification: true,
    credential,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  if (!verified || !authenticationInfo) throw refuse();
  return {
    email: key.email,
    async accept(tx) {
      await expectFresh(tx, ticket.challenge, refuse);
      if ((await usePasskey(tx, key, authenticationInfo.newCounter)) === 0) throw refuse();
    },
  };
}
