import { exec, maybeOne, oneValue } from '../../platform/store/db.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { UserRole } from '../../platform/values/scopes.ts';

/** The settings of a company, with the sealed secret. */
export interface Settings {
  company: string;
  enabled: boolean;
  issuer: string;
  client_id: string;
  client_secret: string | null;
  domains: string[];
  create_users: boolean;
  role: UserRole;
  password_login: boolean;
  satisfies_second_factor: boolean;
  trust_unverified_email: boolean;
  createdAt: string;
  updatedAt: string;
}

const COLUMNS = `s.company_id as company, s.enabled, s.issuer, s.client_id, s.client_secret,
  array(select d.domain from single_sign_on_domains d where d.company_id = s.company_id order by d.domain) as domains,
  s.create_users, s.role, not c.single_sign_on_only as password_login, c.single_sign_on_suffices as satisfies_second_factor,
  s.trust_unverified_email, s.created_at as "createdAt", s.updated_at as "updatedAt"`;
const FROM = 'from single_sign_on s join companies c on c._id = s.company_id';

export function findSettings(tx: TenantRead): Promise<Settings | null> {
  return maybeOne(tx, {
    name: 'single-sign-on.find',
    text: `select ${COLUMNS} ${FROM} where s.company_id = $1`,
    values: [tx.companyId],
  });
}

export function lockSettings(tx: TenantTx): Promise<Settings | null> {
  return maybeOne(tx, {
    name: 'single-sign-on.lock',
    text: `select ${COLUMNS} ${FROM} where s.company_id = $1 for update of s`,
    values: [tx.companyId],
  });
}

/** Finds the enabled settings of an active company, by its id or by one of its domains. */
export function findEnabled(
  tx: SystemTx,
  { company, domain }: { company: string | null; domain: string | null },
): Promise<Settings | null> {
  return maybeOne(tx, {
    name: 'single-sign-on.findEnabled',
    text: `select ${COLUMNS} ${FROM} and c.status = 'ACTIVE' where s.enabled and s.company_id = coalesce($1,
      (select d.company_id from single_sign_on_domains d where d.domain = $2))`,
    values: [company, domain],
  });
}

/** Whether the company requires a second factor of its users. */
export function requiresFactor(tx: TenantTx): Promise<boolean> {
  return oneValue(tx, {
    name: 'single-sign-on.requiresFactor',
    // The statement reads as those of every table of companies.
    text: `select second_factor_required from (select _id as company_id, second_factor_required from companies) c where company_id = $1`,
    values: [tx.companyId],
  });
}

type StoredSettings = Omit<Settings, 'company' | 'createdAt' | 'updatedAt'>;

/** Stores the settings. Throws a violation of `single_sign_on_domains_domain_key` for a domain of another company. */
export async function storeSettings(tx: TenantTx, settings: StoredSettings): Promise<void> {
  const { enabled, issuer, client_id, client_secret, create_users, role, trust_unverified_email } = settings;
  await exec(tx, {
    name: 'single-sign-on.store',
    text: `insert into single_sign_on (company_id, enabled, issuer, client_id, client_secret, create_users, role, trust_unverified_email)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (company_id) do update set enabled = excluded.enabled, issuer = excluded.issuer, client_id = excluded.client_id,
        client_secret = excluded.client_secret, create_users = excluded.create_users, role = excluded.role,
        trust_unverified_email = excluded.trust_unverified_email, updated_at = now()`,
    values: [tx.companyId, enabled, issuer, client_id, client_secret, create_users, role, trust_unverified_email],
  });
  await exec(tx, {
    name: 'single-sign-on.dropDomains',
    text: 'delete from single_sign_on_domains where company_id = $1 and domain <> all($2)',
    values: [tx.companyId, settings.domains],
  });
  await exec(tx, {
    name: 'single-sign-on.addDomains',
    text: `insert into single_sign_on_domains (company_id, domain) select $1, domain from unnest($2::text[]) as d (domain)
      where not exists (select 1 from single_sign_on_domains o where o.company_id = $1 and o.domain = d.domain)`,
    values: [tx.companyId, settings.domains],
  });
  await storeRules(tx, settings);
}

/** Stores what the rooms that log users in need to know. */
function storeRules(
  tx: TenantTx,
  { password_login, satisfies_second_factor }: Pick<Settings, 'password_login' | 'satisfies_second_factor'>,
): Promise<number> {
  return exec(tx, {
    name: 'single-sign-on.storeRules',
    text: `update companies c set single_sign_on_only = $2, single_sign_on_suffices = $3, updated_at = now() from single_sign_on s
      where s.company_id = $1 and c._id = s.company_id and (c.single_sign_on_only, c.single_sign_on_suffices) is distinct from ($2, $3)`,
    values: [tx.companyId, !password_login, satisfies_second_factor],
  });
}

export async function deleteSettings(tx: TenantTx): Promise<void> {
  await storeRules(tx, { password_login: true, satisfies_second_factor: false });
  await exec(tx, {
    name: 'single-sign-on.deleteDomains',
    text: 'delete from single_sign_on_domains where company_id = $1',
    values: [tx.companyId],
  });
  await exec(tx, {
    name: 'single-sign-on.delete',
    text: 'delete from single_sign_on where company_id = $1',
    values: [tx.companyId],
  });
}
