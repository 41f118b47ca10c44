/** Logs a browser in with the OpenID provider of its company: a way to the provider and a way back, bound to the browser by a ticket. */
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../kit.ts';
import { admitCode } from '../../platform/http/access.ts';
import type { Anonymous } from '../../platform/http/route.ts';
import { endTicket, makeTicket, readTicket } from '../../platform/http/session-cookie.ts';
import { whenTaken } from '../../platform/store/taken.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { AppError, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import {
  giveSession,
  isWrongCode,
  recordAccountAudit,
  recordLoginRefusal,
  requireSameOrigin,
  toOpenedSession,
  type OpenedSession,
} from '../auth/auth.ts';
import type { BrowserSession } from '../auth/schemas.ts';
import {
  findProvenAccount,
  linkAccount,
  readProvenAccount,
  recordLogin,
  type Account,
  type ProvenPerson,
} from '../users/accounts.ts';
import { provePasskey } from '../users/passkeys.ts';
import { acceptSecondFactor, refusePasskey, type GivenFactor } from '../users/second-factor.ts';
import { openSession } from '../users/sessions.ts';
import { createProvenUser } from '../users/users.ts';
import { findDomain, makeChecks, openProvider, ProviderFault, type Checks, type Claims } from './provider.ts';
import { findEnabled, type Settings } from './queries.ts';
import type { SingleSignOnBegin, SingleSignOnBegun, SingleSignOnFinish } from './schemas.ts';

const TICKET = 'sso';

/** What the browser keeps on its way to the provider. */
interface Begun {
  company: string;
  /** The version of the settings. A log-in that was begun with other settings does not count. */
  version: string;
  checks: Checks;
}

/** What the browser keeps after the provider has answered, while the person types a code. */
interface Proven {
  company: string;
  version: string;
  claims: Claims;
}

/** Why a log-in has failed. The console has words for each. */
type Reason =
  | 'NOT_AVAILABLE'
  | 'EXPIRED'
  | 'PROVIDER'
  | 'EMAIL_NOT_VERIFIED'
  | 'DOMAIN_NOT_ALLOWED'
  | 'NO_USER'
  | 'INACTIVE'
  | 'LINKED_OTHERWISE';

const refuse = (code: Reason, message: string): AppError =>
  new AppError('SINGLE_SIGN_ON_FAILED', message, [{ path: 'single_sign_on', code, message }]);

/** Every address whose domain belongs to no company with single sign-on gets the same answer. No user is looked up. */
const notAvailable = (): AppError => refuse('NOT_AVAILABLE', 'Single sign-on is not available for this address');

/** Sends the browser to the provider of a company, which is named by its id or by the domain of an address. */
export async function beginSingleSignOn(
  kit: Kit,
  anonymous: Anonymous,
  { email, company }: SingleSignOnBegin,
  reply: FastifyReply,
): Promise<SingleSignOnBegun> {
  requireSameOrigin(reply.request.headers);
  if ((email === undefined) === (company === undefined)) throw invalid('email', 'or company is required, and not both');
  const domain = email === undefined ? null : findDomain(email);
  const settings = await findEnabled(anonymous.read, { company: company ?? null, domain });
  if (!settings) throw company === undefined ? notAvailable() : unknownReference('company');
  const checks = makeChecks();
  const redirect_to = await meetFaults(async () =>
    (await openProvider(kit, settings)).makeAddress(checks, email ?? null),
  );
  reply.header('set-cookie', makeTicket(kit, TICKET, { ...identify(settings), checks } satisfies Begun));
  return { redirect_to };
}

const identify = ({ company, updatedAt }: Settings): Pick<Begun, 'company' | 'version'> => ({
  company,
  version: updatedAt,
});

async function meetFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProviderFault) throw refuse('PROVIDER', error.message);
    throw error;
  }
}

/** Logs the browser in that has come back from the provider. The provider is called before the transaction begins. */
export async function finishSingleSignOn(
  kit: Kit,
  anonymous: Anonymous,
  { query, code, passkey: answer }: SingleSignOnFinish,
  reply: FastifyReply,
): Promise<BrowserSession> {
  const { headers } = reply.request;
  requireSameOrigin(headers);
  const ticket = readTicket<Begun | Proven>(kit, TICKET, headers);
  const settings = ticket && (await findEnabled(anonymous.read, { company: ticket.company, domain: null }));
  if (!settings || ticket.version !== settings.updatedAt)
    throw refuse('EXPIRED', 'This log-in was not begun in this browser, or has taken too long');
  // A ticket is for one answer of the provider.
  reply.header('set-cookie', endTicket(kit, TICKET));
  const claims = 'claims' in ticket ? ticket.claims : await askProvider(kit, settings, ticket.checks, query);
  try {
    const passkey = answer && (await provePasskey(kit, anonymous.read, { answer, headers, refuse: refusePasskey }));
    return giveSession(kit, reply, await admit(kit, anonymous, { settings, claims, given: { code, passkey } }));
  } catch (error) {
    if (error instanceof AppError && error.code === 'SECOND_FACTOR_REQUIRED')
      reply.header('set-cookie', makeTicket(kit, TICKET, { ...identify(settings), claims } satisfies Proven));
    throw error;
  }
}

async function askProvider(kit: Kit, settings: Settings, checks: Checks, query: string | undefined): Promise<Claims> {
  if (query === undefined) throw invalid('query', 'is required');
  const state = new URLSearchParams(query).get('state');
  // Said before the library says it, because an old tab is a common reason.
  if (state !== checks.state) throw refuse('EXPIRED', 'This answer of the provider belongs to another log-in');
  return meetFaults(async () => (await openProvider(kit, settings)).readClaims(query, checks));
}

interface Admission {
  settings: Settings;
  claims: Claims;
  given: GivenFactor;
}

async function admit(kit: Kit, anonymous: Anonymous, { settings, claims, given }: Admission): Promise<OpenedSession> {
  const person = { ...claims, company: settings.company, email: findProvenEmail(settings, claims) };
  const known = await readProvenAccount(anonymous.read, person);
  const { satisfies_second_factor: suffices, company } = settings;
  if (given.code !== undefined && !suffices)
    await admitCode(kit.access, known?.email.toLowerCase() ?? `${company}:${claims.issuer}:${claims.subject}`);
  const store = anonymous.tx(
    async (tx) => {
      const account = await findOrCreate(anonymous, tx, { settings, claims, person });
      // Before the person has accepted an invitation, the second factor of the person is none of this company's business.
      if (!settings.satisfies_second_factor && account.accepted)
        await acceptSecondFactor(kit, tx, account.email, given);
      const user = await recordLogin(tx, account);
      if (!user) throw refuse('INACTIVE', 'This user is inactive');
      await recordAccountAudit(anonymous, account, { tx, action: 'auth.login' });
      return toOpenedSession(user, await openSession(tx, account, { bySingleSignOn: true }));
    },
    { fromReserve: true },
  );
  return store.catch((error: unknown) => {
    // Failure policy: the error is thrown on, even when its audit entry could not be written.
    if (known && (given.code ?? given.passkey) !== undefined && isWrongCode(error))
      void recordLoginRefusal(anonymous, known).catch(() => undefined);
    throw error;
  });
}

/** The address, if the provider may say whose it is; null for one that does not count. */
function findProvenEmail(settings: Settings, { email, isVerified }: Claims): string | null {
  const counts = isVerified || settings.trust_unverified_email;
  return email !== null && counts && settings.domains.includes(findDomain(email)) ? email : null;
}

interface Found {
  settings: Settings;
  claims: Claims;
  person: ProvenPerson;
}

async function findOrCreate(anonymous: Anonymous, tx: SystemTx, { settings, claims, person }: Found): Promise<Account> {
  const account = await findProvenAccount(tx, person);
  if (!account) return create(anonymous, tx, { settings, claims, person });
  if (account.status === 'INACTIVE') throw refuse('INACTIVE', 'This user is inactive');
  const { single_sign_on_issuer: issuer, single_sign_on_subject: subject } = account;
  if (issuer === person.issuer && subject === person.subject) return account;
  if (issuer === person.issuer)
    throw refuse('LINKED_OTHERWISE', 'This user is linked with another account at the provider');
  return link(anonymous, tx, account, person);
}

async function link(anonymous: Anonymous, tx: SystemTx, account: Account, person: ProvenPerson): Promise<Account> {
  await linkAccount(tx, account, person).catch(refuseLinked);
  await recordAccountAudit(anonymous, account, { tx, action: 'auth.link-single-sign-on' });
  return { ...account, status: 'ACTIVE' };
}

/** Another log-in of the same account at the provider, with another address, was faster. */
const refuseLinked = whenTaken('users_single_sign_on', async () => {
  throw refuse('LINKED_OTHERWISE', 'Another user was just linked with this account at the provider');
});

async function create(anonymous: Anonymous, tx: SystemTx, { settings, claims, person }: Found): Promise<Account> {
  if (person.email === null) throw explainEmail(claims, settings);
  if (!settings.create_users) throw refuse('NO_USER', 'The company has no user with this address');
  const name = claims.name ?? person.email.slice(0, person.email.lastIndexOf('@'));
  const user = { _id: newId(), company: settings.company, name, email: person.email, role: settings.role };
  await createProvenUser(tx, user);
  const account = await findProvenAccount(tx, person);
  if (!account) throw new Error('a user that was just created is missing');
  await recordAccountAudit(anonymous, account, { tx, action: 'auth.create-user' });
  return link(anonymous, tx, account, person);
}

function explainEmail({ email, isVerified }: Claims, { trust_unverified_email }: Settings): AppError {
  if (email === null) return refuse('EMAIL_NOT_VERIFIED', 'The provider has sent no e-mail address');
  return isVerified || trust_unverified_email
    ? refuse('DOMAIN_NOT_ALLOWED', 'Addresses of this domain cannot log in')
    : refuse('EMAIL_NOT_VERIFIED', 'The provider has not verified the e-mail address');
}
