/**
 * Enrols contacts whom a caller names, by their ids, by phone numbers or in a sheet. They are enrolled in portions; when the request breaks
 * off and is repeated with its Idempotency-Key, it enrols the rest.
 */
import { PHONE_NUMBER } from '../../../channels/identity.ts';
import { hasVariables } from '../../../channels/templates/variables.ts';
import type { Kit } from '../../../kit.ts';
import { repeatOvertaken } from '../../../platform/store/overtaken.ts';
import { AppError, expectFound } from '../../../platform/values/errors.ts';
import type { Tenant, TenantTx } from '../../../platform/store/tenant.ts';
import { createByPhones } from '../../contacts/by-phones.ts';
import { expectCampaign } from '../campaigns.ts';
import { CAMPAIGNS } from '../loop.ts';
import { lockCampaign, type CampaignRow } from '../queries.ts';
import { findAdded, findContactsByNumbers, insertAdditions, nudgeCampaign } from './queries.ts';
import {
  readContactsToAdd,
  readSheetToAdd,
  type FailedRow,
  type GivenRow,
  type GivenRows,
  type GivenSheet,
} from './given.ts';
import type { AddedContacts, ContactsToAdd } from './schemas.ts';

// The rows of one transaction, which takes some tenths of a second, while the campaign sends nothing.
const PORTION = 250;

const OPEN: readonly string[] = ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'COMPLETED'];

function expectOpen(campaign: CampaignRow): CampaignRow {
  if (OPEN.includes(campaign.status)) return campaign;
  throw new AppError('CAMPAIGN_STATE', `The campaign is ${campaign.status}; contacts can no longer be added`);
}

/** A request to add contacts to a campaign. */
interface Request {
  campaign: string;
  /** The id of the request, which is the same when it is repeated. */
  addedBy: string;
}

export async function addListed(tenant: Tenant, request: Request, body: ContactsToAdd): Promise<AddedContacts> {
  expectOpen(await expectCampaign(tenant.read, request.campaign));
  return addContacts(tenant, request, await readContactsToAdd(tenant, body));
}

export async function addSheet(kit: Kit, tenant: Tenant, request: Request, sheet: GivenSheet): Promise<AddedContacts> {
  expectOpen(await expectCampaign(tenant.read, request.campaign));
  return addContacts(tenant, request, await readSheetToAdd(kit, tenant, sheet));
}

interface Adding extends Request {
  /** The rows by which contacts were named, to find those that are named twice. */
  named: Map<string, number>;
  answer: AddedContacts;
}

async function addContacts(
  tenant: Tenant,
  { campaign, addedBy }: Request,
  { rows, failed }: GivenRows,
): Promise<AddedContacts> {
  const total = rows.length + failed.length;
  const answer = {
    _id: addedBy,
    campaign,
    total,
    enrolled_count: 0,
    error_count: 0,
    enrollments: [],
    errors: [...failed],
  };
  const adding: Adding = { campaign, addedBy, named: new Map(), answer };
  // A request without a good row is noted in the audit as well.
  for (let from = 0; from === 0 || from < rows.length; from += PORTION)
    await addPortion(tenant, adding, rows.slice(from, from + PORTION));
  answer.enrolled_count = answer.enrollments.length;
  answer.error_count = answer.errors.length;
  answer.errors.sort((a, b) => a.row - b.row);
  return answer;
}

/** When the last try fails too, the request fails; repeated, it goes on where it ended. */
async function addPortion(tenant: Tenant, adding: Adding, rows: GivenRow[]): Promise<void> {
  sortOut(adding, await repeatOvertaken(() => tenant.tx((tx) => storePortion(tx, adding, rows))));
}

interface ResolvedRow extends GivenRow {
  contact: string;
  /** Null for a contact that was removed meanwhile. */
  enrollment: string | null;
  isNew: boolean;
}

async function storePortion(tx: TenantTx, { campaign: id, addedBy }: Adding, rows: GivenRow[]): Promise<ResolvedRow[]> {
  tx.created(addedBy);
  const { steps, started_at } = expectOpen(expectFound(await lockCampaign(tx, id)));
  const known = await resolveContacts(tx, rows);
  const contacts = [...new Set(known.map(({ contact }) => contact))];
  const first = new Map(known.toReversed().map(({ contact, columns }) => [contact, columns]));
  const inserted = await insertAdditions(
    tx,
    {
      campaign: id,
      addedBy,
      delayMinutes: started_at === null ? null : (steps[0]?.delay_minutes ?? 0),
      keepsValues: steps.some(({ template }) => hasVariables(template.components ?? [])),
    },
    contacts.map((contact) => ({ contact, columns: first.get(contact) ?? null })),
  );
  if (inserted > 0 && (await nudgeCampaign(tx, id)) > 0) tx.wakes(CAMPAIGNS);
  const added = new Map((await findAdded(tx, id, { contacts, addedBy })).map((each) => [each.contact, each]));
  return known.map((each) => {
    const { enrollment = null, is_new: isNew = false } = added.get(each.contact) ?? {};
    return { ...each, enrollment, isNew };
  });
}

/** Finds the contacts that rows name by phone numbers, and creates those that the company does not have. */
async function resolveContacts(tx: TenantTx, rows: GivenRow[]): Promise<(GivenRow & { contact: string })[]> {
  const { kind } = PHONE_NUMBER;
  const byNumber = new Map(
    rows.filter(({ contact }) => contact === null).map((row) => [PHONE_NUMBER.identify(row.phone).value, row]),
  );
  const found = byNumber.size === 0 ? [] : await findContactsByNumbers(tx, kind, [...byNumber.keys()]);
  const contacts = new Map(found.map(({ value, contact }) => [value, contact]));
  const missing = [...byNumber].filter(([value]) => !contacts.has(value));
  const created = await createByPhones(
    tx,
    'CAMPAIGN',
    missing.map(([, { name, phone, country_code }]) => ({ name, phone_number: phone, country_code })),
  );
  for (const [place, [value]] of missing.entries()) contacts.set(value, created[place] ?? '');
  return rows.map((row) => ({
    ...row,
    contact: row.contact ?? contacts.get(PHONE_NUMBER.identify(row.phone).value) ?? '',
  }));
}

/** Adds the rows of a portion to the answer, as enrolled or with the reason why they are not. */
function sortOut({ named, answer }: Adding, rows: ResolvedRow[]): void {
  for (const { row, shown, contact, enrollment, isNew } of rows) {
    const earlier = named.get(contact);
    const fault = findFault(earlier, enrollment, isNew);
    if (fault) answer.errors.push({ row, contact: shown, ...fault });
    else answer.enrollments.push({ row, contact, enrollment: enrollment ?? '' });
    if (earlier === undefined) named.set(contact, row);
  }
}

function findFault(
  earlier: number | undefined,
  enrollment: string | null,
  isNew: boolean,
): Pick<FailedRow, 'code' | 'message'> | null {
  if (enrollment === null) return { code: 'CONTACT_REMOVED', message: 'The contact was removed meanwhile' };
  if (earlier !== undefined) return { code: 'DUPLICATE', message: `The contact is the same as in row ${earlier}` };
  return isNew ? null : { code: 'ALREADY_ENROLLED', message: 'The contact is already in the campaign' };
}
