/** The settings of single sign-on: which OpenID provider logs the users of a company in, and what it may do. */
import type { Kit } from '../../kit.ts';
import { whenTaken } from '../../platform/store/taken.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { AppError, expectFound, forbidden, invalid } from '../../platform/values/errors.ts';
import { lockCaller, refuseRole } from '../users/users.ts';
import { findDomain, findProviderFault, openProvider, ProviderFault, redirectUri, secretContext } from './provider.ts';
import { deleteSettings, findSettings, lockSettings, requiresFactor, storeSettings, type Settings } from './queries.ts';
import type { SingleSignOn, SingleSignOnTest, SingleSignOnUpdate } from './schemas.ts';

const DEFAULTS = {
  enabled: false,
  create_users: false,
  role: 'VIEWER',
  password_login: true,
  satisfies_second_factor: true,
  trust_unverified_email: false,
} as const;

const BLANK = {
  ...DEFAULTS,
  issuer: null,
  client_id: null,
  client_secret: null,
  domains: [],
  createdAt: null,
  updatedAt: null,
};

function toRecord(kit: Kit, company: string, settings: Settings | null): SingleSignOn {
  const { client_secret, ...shown } = settings ?? BLANK;
  return { ...shown, company, has_client_secret: client_secret !== null, redirect_uri: redirectUri(kit) };
}

export async function readSingleSignOn(kit: Kit, tenant: Tenant): Promise<SingleSignOn> {
  return toRecord(kit, tenant.companyId, await findSettings(tenant.read));
}

// Everybody can have an address of these domains, so they say nothing about the company of a person.
const PUBLIC_DOMAINS = new Set(
  ['gmail.com', 'googlemail.com', 'outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'yahoo.com', 'yahoo.com.br']
    .concat(['icloud.com', 'me.com', 'aol.com', 'proton.me', 'protonmail.com', 'gmx.com', 'gmx.net', 'mail.com'])
    .concat(['uol.com.br', 'bol.com.br', 'terra.com.br', 'ig.com.br', 'yahoo.es', 'hotmail.es', 'yandex.com']),
);

/**
 * Changes the settings. The provider decides who logs in as which user, so a caller needs all rights of an owner. For another
 * provider the client secret must be given again, because the stored one belongs to the provider before.
 */
export async function setSingleSignOn(kit: Kit, tenant: Tenant, input: SingleSignOnUpdate): Promise<SingleSignOn> {
  refuseRole(tenant, 'OWNER');
  const fault = (await kit.outbound.refuse(input.issuer)) ?? findProviderFault(input.issuer);
  if (fault !== null)
    throw new AppError('TARGET_NOT_ALLOWED', fault, [{ path: 'issuer', code: 'TARGET_NOT_ALLOWED', message: fault }]);
  const free = input.domains.findIndex((domain) => PUBLIC_DOMAINS.has(domain));
  if (free >= 0) throw invalid(`domains[${free}]`, 'is a domain of a public mail service');
  const stored = await tenant.tx(async (tx) => {
    tx.created(tenant.companyId);
    const before = await lockSettings(tx);
    const { client_secret: given, ...fields } = input;
    const isSame = before?.issuer === input.issuer && before.client_id === input.client_id;
    if (given === undefined && before !== null && before.client_secret !== null && !isSame)
      throw invalid('client_secret', 'is required with another issuer or client_id');
    const client_secret = given === undefined ? (before?.client_secret ?? null) : given && seal(kit, tenant, given);
    const next = { ...DEFAULTS, ...before, ...fields, client_secret };
    if (next.enabled && next.domains.length === 0) throw invalid('domains', 'must name at least one domain');
    if (!next.enabled && !next.password_login) throw invalid('password_login', 'can only be off while enabled is on');
    await refuseUnproven(tenant, tx, before?.domains ?? [], next);
    await storeSettings(tx, next).catch(refuseTakenDomain);
    return expectFound(await findSettings(tx));
  });
  kit.access.auth.forget();
  return toRecord(kit, tenant.companyId, stored);
}

/**
 * Refuses a new domain that is not the caller's own, because its company decides who logs in at its addresses, and a replacement of the
 * second factor by a caller who has none. The operator may do both.
 */
async function refuseUnproven(
  tenant: Tenant,
  tx: TenantTx,
  known: string[],
  {
    domains,
    enabled,
    satisfies_second_factor: suffices,
  }: Pick<Settings, 'domains' | 'enabled' | 'satisfies_second_factor'>,
): Promise<void> {
  if (tenant.principal.type === 'global') return;
  const caller = await lockCaller(tenant, tx);
  const own = caller?.accepted ? findDomain(caller.email) : null;
  const foreign = domains.findIndex((domain) => domain !== own && !known.includes(domain));
  if (foreign >= 0)
    throw invalid(
      `domains[${foreign}]`,
      'can be added only by an owner whose own e-mail address is on it, or by the operator',
      'DOMAIN_NOT_PROVEN',
    );
  if (enabled && suffices && !caller?.second_factor && (await requiresFactor(tx)))
    throw forbidden('satisfies_second_factor', 'Only a logged-in owner who has two-factor log-in replaces it');
}

const seal = (kit: Kit, { companyId }: Tenant, secret: string): string =>
  kit.secrets.seal(secret, secretContext(companyId));

const refuseTakenDomain = whenTaken('single_sign_on_domains_domain_key', async () => {
  throw invalid('domains', 'has a domain that another company uses; the operator can release it', 'DOMAIN_TAKEN');
});

/** Turns single sign-on off and forgets the provider. Users log in with their passwords again. */
export async function removeSingleSignOn(kit: Kit, tenant: Tenant): Promise<SingleSignOn> {
  refuseRole(tenant, 'OWNER');
  await tenant.tx(async (tx) => {
    tx.created(tenant.companyId);
    await deleteSettings(tx);
  });
  kit.access.auth.forget();
  return toRecord(kit, tenant.companyId, null);
}

/** Asks the stored provider for its description and keys, and says what is wrong. */
export async function testSingleSignOn(kit: Kit, tenant: Tenant): Promise<SingleSignOnTest> {
  const settings = expectFound(await findSettings(tenant.read));
  try {
    const provider = await openProvider(kit, settings, { isFresh: true });
    return { ok: true, reason: null, problem: null, authorization_endpoint: provider.authorizationEndpoint };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return { ok: false, reason: error.reason, problem: error.message, authorization_endpoint: null };
  }
}
