/** Campaigns: creates, reads, changes and removes them. */
import { isDeepStrictEqual } from 'node:util';
import { findHeaderFiles } from '../../channels/templates/header.ts';
import type { Kit } from '../../kit.ts';
import { isReferenced } from '../../platform/store/db.ts';
import { AppError, expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { pageWindow, readSearch, type Page } from '../../platform/store/paging.ts';
import { expectRecordSize } from '../../platform/values/sizes.ts';
import type { Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { isTimeZone } from '../../platform/values/time-zone.ts';
import { expectAttachment } from '../attachments/attachments.ts';
import { refuseUnknownInbox } from '../inboxes/inboxes.ts';
import { keepStepFromRemoval } from '../pipelines/steps.ts';
import { findShelf } from '../templates/catalogue.ts';
import { expectUsers } from '../users/assignments.ts';
import { nudgeCampaign } from './adding/queries.ts';
import { checkAudience } from './audience.ts';
import { CAMPAIGNS } from './loop.ts';
import {
  deleteCampaign,
  findCampaign,
  findCampaigns,
  insertCampaign,
  listCampaigns,
  lockCampaign,
  setCampaignFiles,
  updateCampaign,
  type CampaignFields,
  type CampaignRow,
  type StoredStep,
} from './queries.ts';
import type {
  Campaign,
  CampaignCreate,
  CampaignOptions,
  CampaignQuery,
  CampaignUpdate,
  StepCreate,
} from './schemas.ts';
import { checkStep } from './steps.ts';

const DEFAULT_OPTIONS: CampaignOptions = {
  messages_per_minute: null,
  time_zone: null,
  sending_hours: null,
  error_threshold: 50,
  stop_on_reply: true,
  send_to_active_conversations: false,
};
const OPTION_NAMES = Object.keys(DEFAULT_OPTIONS) as (keyof CampaignOptions)[];

export async function createCampaign(kit: Kit, tenant: Tenant, input: CampaignCreate): Promise<Campaign> {
  const { name, inbox } = input;
  const empty = { description: null, steps: [], audience: {}, agent: null, owner: null, scheduled_at: null };
  const fields = applyInput({ ...empty, name, inbox, options: DEFAULT_OPTIONS }, input);
  await checkFields(kit, tenant, fields, input);
  return tenant.tx(async (tx) => {
    await checkReferences(tx, fields);
    const _id = newId();
    tx.created(_id);
    const made = await insertCampaign(tx, _id, fields);
    await keepFilesFromRemoval(tx, _id, fields.steps);
    return expectSmall(toCampaign(made));
  });
}

export async function readCampaign(tenant: Tenant, id: string): Promise<Campaign> {
  return toCampaign(await expectCampaign(tenant.read, id));
}

/** Reads campaigns by their ids, for callers that follow their progress. Those that do not exist are left out. */
export async function readCampaigns(read: TenantRead, ids: string[]): Promise<Campaign[]> {
  return (await findCampaigns(read, ids)).map(toCampaign);
}

export async function expectCampaign(read: TenantRead, id: string): Promise<CampaignRow> {
  return expectFound(await findCampaign(read, id));
}

export async function pageCampaigns(tenant: Tenant, query: CampaignQuery): Promise<Page<Campaign>> {
  const { status = null, inbox = null } = query;
  await refuseUnknownInbox(tenant.read, inbox);
  const filter = { status, inbox, search: readSearch(query) };
  const page = await listCampaigns(tenant.read, filter, pageWindow('campaigns', query));
  return { ...page, result: page.result.map(toCampaign) };
}

export async function updateCampaignById(
  kit: Kit,
  tenant: Tenant,
  id: string,
  input: CampaignUpdate,
): Promise<Campaign> {
  await checkFields(kit, tenant, applyInput(await expectCampaign(tenant.read, id), input), input);
  return tenant.tx(async (tx) => {
    const before = expectFound(await lockCampaign(tx, id));
    const own = pickFields(before);
    const fields = applyInput(own, input);
    if (isDeepStrictEqual(fields, own)) return toCampaign(before);
    expectChangeable(before, fields);
    await checkReferences(tx, fields, own);
    if (!isDeepStrictEqual(fields.steps, own.steps)) await keepFilesFromRemoval(tx, id, fields.steps);
    const updated = expectSmall(toCampaign(await updateCampaign(tx, id, fields)));
    // A campaign that rests until its sending hours begin rests no longer than the new ones say.
    if (before.status === 'RUNNING' && (await nudgeCampaign(tx, id)) > 0) tx.wakes(CAMPAIGNS);
    return updated;
  });
}

export function removeCampaign(tenant: Tenant, id: string): Promise<Campaign> {
  return tenant.tx(async (tx) => {
    const row = expectFound(await lockCampaign(tx, id));
    if (row.started_at !== null) throw new AppError('CAMPAIGN_STATE', 'The campaign has started; cancel it instead');
    await deleteCampaign(tx, id);
    return toCampaign(row);
  });
}

export function toCampaign({ options, steps, ...row }: CampaignRow): Campaign {
  return {
    ...row,
    ...options,
    template: steps[0]?.template ?? null,
    steps: steps.map((step, index) => ({ index, ...step })),
  };
}

/** What may be changed after a campaign was started: how fast and when it sends, and its texts for people. */
const ALWAYS = ['name', 'description', 'options'] as const;

function expectChangeable({ status, ...before }: CampaignRow, fields: CampaignFields): void {
  if (status === 'DRAFT') return;
  const changed = (Object.keys(fields) as (keyof CampaignFields)[]).filter(
    (name) => !isDeepStrictEqual(fields[name], before[name]),
  );
  const fixed = changed.find((name) => !(ALWAYS as readonly string[]).includes(name));
  if (fixed !== undefined)
    throw new AppError('CAMPAIGN_STATE', `The campaign is ${status}; ${fixed} can be changed in a draft only`);
}

/** A page of a hundred campaigns still fits into one answer. */
const expectSmall = (campaign: Campaign): Campaign => expectRecordSize('steps', campaign);

function pickFields({
  name,
  description,
  inbox,
  steps,
  audience,
  agent,
  owner,
  options,
  scheduled_at,
}: CampaignRow): CampaignFields {
  return { name, description, inbox, steps, audience, agent, owner, options, scheduled_at };
}

function applyInput(before: CampaignFields, input: CampaignUpdate): CampaignFields {
  const { scheduled_at: at = before.scheduled_at } = input;
  const options = Object.fromEntries(
    OPTION_NAMES.map((name) => [name, input[name] === undefined ? before.options[name] : input[name]]),
  ) as unknown as CampaignOptions;
  const { name = before.name, description = before.description, inbox = before.inbox } = input;
  const { audience = before.audience, agent = before.agent, owner = before.owner } = input;
  return {
    name,
    description,
    inbox,
    steps: input.steps?.map(toStoredStep) ?? before.steps,
    audience,
    agent,
    owner,
    options,
    // Stored in the form of all times, so that the same moment in another time zone is no change.
    scheduled_at: at && new Date(at).toISOString(),
  };
}

const toStoredStep = ({ delay_minutes = 0, template, funnel_step = null }: StepCreate): StoredStep => ({
  delay_minutes,
  template,
  funnel_step,
});

/** Checks what a request changes, as far as that needs no lock. */
async function checkFields(kit: Kit, tenant: Tenant, fields: CampaignFields, input: CampaignUpdate): Promise<void> {
  const { time_zone, sending_hours } = fields.options;
  if (time_zone !== null && !isTimeZone(time_zone)) throw invalid('time_zone', 'is not a time zone');
  if (sending_hours && sending_hours.from >= sending_hours.to)
    throw invalid('sending_hours.to', 'must be later than sending_hours.from', 'TOO_EARLY');
  if (input.inbox !== undefined) {
    const { inbox } = await findShelf(kit, tenant.read, input.inbox, 'inbox');
    if (inbox.status !== 'ACTIVE') throw invalid('inbox', 'is the id of a deleted inbox', 'INBOX_INACTIVE');
  }
  if (input.audience) await checkAudience(tenant.read, input.audience);
  if (input.steps || input.inbox !== undefined) await checkGivenSteps(kit, tenant, fields);
}

/** Checks the steps. A template that cannot be sent yet may be named already; the start checks it again. */
async function checkGivenSteps(kit: Kit, tenant: Tenant, { inbox, steps }: CampaignFields): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const path = `steps[${index}].template`;
    for (const file of findHeaderFiles(step.template.components ?? []))
      await expectAttachment(tenant.read, file.attachment, `${path}.components${file.path}`);
    try {
      await checkStep(kit, tenant, { inbox, step, path });
    } catch (error) {
      // Failure policy: the template may be approved before the campaign starts; any other error is thrown on.
      if (!(error instanceof AppError) || error.code !== 'TEMPLATE_NOT_SENDABLE') throw error;
    }
  }
}

/** Checks the records that a campaign names and that must not be removed at this moment. An owner who stays may see the inbox no longer. */
async function checkReferences(
  tx: TenantTx,
  { inbox, owner, steps }: CampaignFields,
  before?: CampaignFields,
): Promise<void> {
  if (owner !== before?.owner || inbox !== before.inbox) await expectUsers(tx, { owner }, inbox);
  for (const [index, { funnel_step }] of steps.entries())
    if (funnel_step !== null && !(await keepStepFromRemoval(tx, funnel_step)))
      throw unknownReference(`steps[${index}].funnel_step`);
}

/** Keeps the attachments that the steps show as long as the campaign has these steps. */
async function keepFilesFromRemoval(tx: TenantTx, id: string, steps: StoredStep[]): Promise<void> {
  const files = steps.flatMap(({ template }) => findHeaderFiles(template.components ?? []));
  try {
    await setCampaignFiles(
      tx,
      id,
      files.map(({ attachment }) => attachment),
    );
  } catch (error) {
    // Failure policy: one of them was removed after it was checked, as if it had not been there; any other error is thrown on.
    throw isReferenced(error) ? unknownReference('steps') : error;
  }
}
