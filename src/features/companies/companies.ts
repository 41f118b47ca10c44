/** Companies, which are the tenants of the installation. */
import type { Kit } from '../../kit.ts';
import { expectFound, forbidden, invalid, notFound } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { readSearch, pageWindow, type Page } from '../../platform/store/paging.ts';
import { deriveCountry } from '../../platform/values/country.ts';
import { isPhoneCountry } from '../../platform/values/phone.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { isTimeZone } from '../../platform/values/time-zone.ts';
import { createDefaultPipeline } from '../pipelines/default-pipeline.ts';
import { inviteUser, readUser, refuseExpiringKey } from '../users/users.ts';
import {
  findActiveCompany,
  findAnyCompany,
  findCompany,
  insertCompany,
  listCompanies,
  lockCompany,
  updateCompany,
  type CompanyRow,
} from './queries.ts';
import type { Company, CompanyCreate, CompanyQuery, CompanyUpdate } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** Creates a company with the records that each company has from its first day, such as the default pipeline. */
export async function createCompany(tx: SystemTx, input: Omit<CompanyCreate, 'owner'>): Promise<Company> {
  const row = applyInput({ ...BLANK, _id: newId(), name: input.name }, input);
  // A country that the caller names wins, and so does null. Otherwise phone numbers would be read without a country until someone sets it.
  if (input.general_config?.country === undefined) row.general_config.country = deriveCountry(row.general_config);
  const company = await insertCompany(tx, row);
  await createDefaultPipeline(tx, company._id, company.general_config.language);
  return company;
}

export async function createCompanyForCaller(kit: Kit, caller: Caller, input: CompanyCreate): Promise<Company> {
  refuseExpiringKey(caller.principal);
  return caller.tx(async (tx) => {
    const { owner, ...fields } = input;
    const company = await createCompany(tx, fields);
    tx.created(company._id);
    const { language } = company.general_config;
    await inviteUser(kit, tx, { language, ...owner, company: company._id, role: 'OWNER' });
    return company;
  });
}

export async function readCompany(caller: Caller, id: string): Promise<Company> {
  requireAccess(caller, id);
  return expectFound(await findCompany(caller.read, id));
}

export async function pageCompanies(caller: Caller, query: CompanyQuery): Promise<Page<Company>> {
  const filter = { status: query.status ?? null, search: readSearch(query) };
  return listCompanies(caller.read, filter, pageWindow('companies', query));
}

/**
 * Changes a company. When the company is suspended, this process refuses its keys and sessions at once, every other process within a
 * second.
 */
export async function updateCompanyById(kit: Kit, caller: Caller, id: string, input: CompanyUpdate): Promise<Company> {
  requireAccess(caller, id);
  refuseOperatorFields(caller, input);
  const { second_factor_required: required } = input;
  const mayRequire = required === undefined || (await hasSecondFactor(caller));
  const company = await caller.tx(async (tx) => {
    const before = expectFound(await lockCompany(tx, id));
    if (!mayRequire && required !== before.second_factor_required)
      throw forbidden(
        'second_factor_required',
        'Only a logged-in owner or admin who has two-factor log-in changes this',
      );
    return updateCompany(tx, applyInput(before, input));
  });
  if (input.status !== undefined || required !== undefined) kit.access.auth.forget();
  return company;
}

/** Returns whether an active company has this id; requests for a suspended company are answered as if it did not exist. */
export async function companyIsActive(tx: SystemTx, companyId: string): Promise<boolean> {
  return (await findActiveCompany(tx, companyId)) !== null;
}

/** Returns whether a company has this id, even a suspended one, because the operator still manages it. */
export async function companyIsKnown(tx: SystemTx, companyId: string): Promise<boolean> {
  return (await findCompany(tx, companyId)) !== null;
}

/** Returns true when the installation has no company. */
export async function isEmptyInstallation(tx: SystemTx): Promise<boolean> {
  return (await findAnyCompany(tx)) === null;
}

const BLANK: Omit<CompanyRow, '_id' | 'name'> = {
  description: null,
  domains: [],
  site: null,
  general_config: { language: 'pt-BR', time_zone: 'America/Sao_Paulo', country: null },
  status: 'ACTIVE',
  agent_builder_mcp_enabled: false,
  client_mcp_servers_enabled: false,
  auto_join_enabled: false,
  subscription: {},
  document_type: null,
  document_number: null,
  payment_customer_id: null,
  billing_external: false,
  billing_partner: false,
  onboarding: {},
  attribution: {},
  limits: { stored_bytes: null },
  second_factor_required: false,
};

// The largest size of each object that a company may fill freely.
const MAX_FREE_BYTES = declareLimit(16_384, {
  topic: 'Records',
  what: 'Company: `subscription`, `onboarding` and `attribution`, each',
  unit: 'bytes',
  beyond: '400',
});
const FREE_FIELDS = ['subscription', 'onboarding', 'attribution'] as const;

function applyInput(before: CompanyRow, input: CompanyUpdate): CompanyRow {
  const next = {
    ...before,
    ...input,
    general_config: { ...before.general_config, ...input.general_config },
    limits: { ...before.limits, ...input.limits },
  };
  for (const field of FREE_FIELDS) {
    if (Buffer.byteLength(JSON.stringify(next[field])) > MAX_FREE_BYTES) {
      throw invalid(field, 'is larger than 16 kB', 'TOO_LARGE');
    }
  }
  if (input.general_config?.time_zone !== undefined && !isTimeZone(input.general_config.time_zone)) {
    throw invalid('general_config.time_zone', 'is not a time zone');
  }
  const country = input.general_config?.country;
  if (country && !isPhoneCountry(country)) throw invalid('general_config.country', 'is not the code of a country');
  if (input.site && !/^https?:$/.test(URL.parse(input.site)?.protocol ?? ''))
    throw invalid('site', 'is not a web address');
  return next;
}

/** Only the operator of the installation changes the fields that decide whether and how a company is served and billed. */
const OPERATOR_FIELDS = [
  'status',
  'subscription',
  'payment_customer_id',
  'billing_external',
  'billing_partner',
  'limits',
] as const;

function refuseOperatorFields({ principal }: Caller, input: CompanyUpdate): void {
  const field = OPERATOR_FIELDS.find((name) => input[name] !== undefined);
  if (!field || principal.type === 'global') return;
  throw forbidden(field, `${field} can be changed only with a global key`);
}

/** Only a user with a second factor decides whether others need one: a key has none, and nobody locks themselves out. */
async function hasSecondFactor({ principal, tenant }: Caller): Promise<boolean> {
  return principal.type === 'user' && tenant !== null && (await readUser(tenant, principal.id)).second_factor;
}

function requireAccess({ principal }: Caller, id: string): void {
  if (principal.type !== 'global' && principal.companyId !== id) throw notFound();
}
