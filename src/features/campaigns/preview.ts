/** Tells what a campaign would do at this moment: how many contacts it reaches, who is skipped and why, and the first messages. */
import { composeTemplate } from '../../channels/templates/compose.ts';
import { resolveVariables } from '../../channels/templates/variables.ts';
import type { Kit } from '../../kit.ts';
import { AppError, scopeMissing, type FieldError } from '../../platform/values/errors.ts';
import { allows } from '../../platform/values/scopes.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { readContacts } from '../contacts/by-phones.ts';
import type { Contact } from '../contacts/schemas.ts';
import { findShelf } from '../templates/catalogue.ts';
import { findNeededValues, listUndelivered, makeRules, readAudience } from './audience.ts';
import { countAudience, findGivenValues, listFirst } from './audience-queries.ts';
import { expectCampaign } from './campaigns.ts';
import { findTestMode, type CampaignRow } from './queries.ts';
import type { CampaignPreview, PreviewMessage } from './schemas.ts';
import { checkSteps, type SendableStep } from './steps.ts';

const FIRST = 10;

/** Throws FORBIDDEN for a caller who may not read contacts, because the messages show their names and numbers. */
export async function previewCampaign(kit: Kit, tenant: Tenant, id: string): Promise<CampaignPreview> {
  if (!allows(tenant.principal.scopes, 'contacts:read')) throw scopeMissing('contacts:read');
  const campaign = await expectCampaign(tenant.read, id);
  const problems: FieldError[] = [];
  const steps = await collectProblems(problems, () => checkSteps(kit, tenant, campaign));
  const audience = await collectProblems(problems, () => readAudience(tenant.read, campaign.audience));
  const empty = { campaign: id, total: 0, sendable: 0, skipped: [], messages: [], problems };
  if (!audience) return empty;
  const rules = await readRules(kit, tenant.read, campaign, steps ?? []);
  const [counts, first] = await Promise.all([
    countAudience(tenant.read, audience, rules),
    steps ? listFirst(tenant.read, audience, rules, FIRST) : [],
  ]);
  const [step] = steps ?? [];
  return {
    ...empty,
    total: counts.reduce((sum, { count }) => sum + count, 0),
    sendable: counts.find(({ reason }) => reason === null)?.count ?? 0,
    skipped: counts.flatMap(({ reason, count }) => (reason === null ? [] : [{ reason, count }])),
    messages: step ? await writeMessages(kit, tenant.read, { campaign, step, first }) : [],
  };
}

/** Runs a check of the campaign, and adds what it throws to the problems. Returns null then. */
async function collectProblems<T>(problems: FieldError[], check: () => Promise<T>): Promise<T | null> {
  try {
    return await check();
  } catch (error) {
    // Failure policy: what is wrong with the campaign is a part of the answer; any other error is thrown on.
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    const { code, message, errors } = error;
    problems.push(...(errors.length > 0 ? errors : [{ path: 'inbox', code, message }]));
    return null;
  }
}

/** Returns the rules by which contacts are skipped before the first message. */
async function readRules(kit: Kit, read: TenantRead, { _id, inbox, options }: CampaignRow, steps: SendableStep[]) {
  const { templates, channel } = await findShelf(kit, read, inbox, 'inbox');
  const [first] = steps;
  return makeRules({
    campaign: _id,
    inbox,
    channel,
    test_mode: await findTestMode(read, inbox),
    needed: await findNeededValues(
      read,
      steps.flatMap(({ given }) => given),
    ),
    undeliveredIn: first ? listUndelivered(templates.undelivered ?? [], first.category) : [],
    restingCodes: templates.restingCodes?.map(String) ?? [],
    writesToActive: options.send_to_active_conversations,
  });
}

interface Writing {
  campaign: CampaignRow;
  step: SendableStep;
  /** The ids of the contacts. */
  first: string[];
}

async function writeMessages(
  kit: Kit,
  read: TenantRead,
  { campaign, step, first }: Writing,
): Promise<PreviewMessage[]> {
  const { inbox } = await findShelf(kit, read, campaign.inbox, 'inbox');
  const contacts = new Map((await readContacts(read, first)).map((contact) => [contact._id, contact]));
  const columns = await findGivenValues(read, campaign._id, first);
  return first.flatMap((id) => {
    const contact = contacts.get(id);
    return contact ? [writeMessage(step, { contact, columns: columns.get(id) ?? {} }, inbox.time_zone)] : [];
  });
}

function writeMessage(
  { template, given }: SendableStep,
  { contact, columns }: { contact: Contact; columns: Record<string, string> },
  timeZone: string | null,
): PreviewMessage {
  const { values } = resolveVariables(given, { contact, columns });
  const filled = composeTemplate(template, values, timeZone);
  const [fault] = 'faults' in filled ? filled.faults : [];
  const { _id, name, phone_number } = contact;
  return {
    contact: _id,
    name,
    phone_number,
    content: 'content' in filled ? filled.content : null,
    error: fault ? `components${fault.path} ${fault.message}` : null,
  };
}
