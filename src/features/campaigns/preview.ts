/** Tells what a campaign would do at this moment: how many contacts it reaches, who is skipped and why, and the first messages. */
import type { Kit } from '../../kit.ts';
import { AppError, type FieldError } from '../../platform/values/errors.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { ask, refusalSql } from '../admission/admission.ts';
import { findShelf } from '../templates/catalogue.ts';
import { findNeededValues, readAudience } from './audience.ts';
import { countAudience, type SkipRules } from './audience-queries.ts';
import { expectCampaign } from './campaigns.ts';
import { findTestMode, type CampaignRow } from './queries.ts';
import { writeMessages } from './preview-messages.ts';
import type { CampaignPreview } from './schemas.ts';
import { checkSteps, type SendableStep } from './steps.ts';

/** The messages show the names and numbers of contacts. */
export async function previewCampaign(kit: Kit, tenant: Tenant, id: string): Promise<CampaignPreview> {
  const campaign = await expectCampaign(tenant.read, id);
  const problems: FieldError[] = [];
  const steps = await collectProblems(problems, () => checkSteps(kit, tenant, campaign));
  const audience = await collectProblems(problems, () => readAudience(tenant.read, campaign.audience));
  const empty = { campaign: id, total: 0, sendable: 0, skipped: [], messages: [], problems };
  if (!audience) return empty;
  const { rules, timeZone } = await readRules(kit, tenant.read, campaign, steps ?? []);
  const [step] = steps ?? [];
  const [counts, { messages, unfilled }] = await Promise.all([
    countAudience(tenant.read, audience, rules),
    step ? writeMessages(tenant.read, { campaign: id, step, audience, rules, timeZone }) : NOTHING,
  ]);
  const sendable = counts.find(({ reason }) => reason === null)?.count ?? 0;
  const failing = unfilled.values().reduce((sum, { count }) => sum + count, 0);
  return {
    ...empty,
    total: counts.reduce((sum, { count }) => sum + count, 0),
    // The contacts may change between the two readings.
    sendable: Math.max(0, sendable - failing),
    skipped: sumSkipped(counts, unfilled),
    messages,
  };
}

const NOTHING: Awaited<ReturnType<typeof writeMessages>> = { messages: [], unfilled: new Map() };

type Skipped = CampaignPreview['skipped'];

/** Joins the contacts that the database finds with those whose message cannot be filled in. */
function sumSkipped(
  counts: Awaited<ReturnType<typeof countAudience>>,
  unfilled: (typeof NOTHING)['unfilled'],
): Skipped {
  const skipped = counts.flatMap(({ reason, count }): Skipped =>
    reason === null ? [] : [{ reason, count: count + (unfilled.get(reason)?.count ?? 0), message: null }],
  );
  const further = [...unfilled].filter(([code]) => !skipped.some(({ reason }) => reason === code));
  return [...skipped, ...further.map(([reason, each]) => ({ reason, ...each }))];
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

/** Returns the rules by which contacts are skipped before the first message, and where times are read. */
async function readRules(kit: Kit, read: TenantRead, { _id, inbox, options }: CampaignRow, steps: SendableStep[]) {
  const { channel, inbox: sender } = await findShelf(kit, read, inbox, 'inbox');
  const given = steps.flatMap((step) => step.given);
  const { send_to_active_conversations: writesToActive } = options;
  const asked = { contentType: 'TEMPLATE', category: steps[0]?.category ?? '', writesToActive } as const;
  const test_mode = await findTestMode(read, inbox);
  const asking = ask('CAMPAIGN', channel, { status: sender.status, test_mode }, asked);
  const rules: SkipRules = {
    campaign: _id,
    inbox,
    places: kit.channels.identityPlaces[channel.name] ?? {},
    needed: await findNeededValues(read, given),
    restingCodes: asking.restingCodes,
    refusal: (facts, bind) => refusalSql(facts, asking, bind),
  };
  return { rules, timeZone: sender.time_zone };
}
