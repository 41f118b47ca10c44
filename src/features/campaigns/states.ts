/** Starts, pauses, resumes and cancels campaigns. */
import type { Kit } from '../../kit.ts';
import { AppError, expectFound } from '../../platform/values/errors.ts';
import { ChangedMeanwhile, isChangedMeanwhile, repeatOvertaken } from '../../platform/store/overtaken.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { readAudience } from './audience.ts';
import { expectCampaign, toCampaign } from './campaigns.ts';
import { CAMPAIGNS } from './loop.ts';
import { countSends } from './portion-queries.ts';
import { lockCampaign, type CampaignRow } from './queries.ts';
import type { Campaign } from './schemas.ts';
import { setEnded, setPaused, setRunning } from './state-queries.ts';
import { checkSteps } from './steps.ts';

/** Throws 400 for what keeps the campaign from being sent, naming the field of the campaign. */
export const startCampaign = (kit: Kit, tenant: Tenant, id: string): Promise<Campaign> =>
  repeatOvertaken(() => checkAndStart(kit, tenant, id), isChangedMeanwhile);

async function checkAndStart(kit: Kit, tenant: Tenant, id: string): Promise<Campaign> {
  const checked = await expectCampaign(tenant.read, id);
  expectStatus(checked, ['DRAFT', 'SCHEDULED']);
  await checkSteps(kit, tenant, checked);
  await readAudience(tenant.read, checked.audience);
  return changeState(tenant, id, ['DRAFT', 'SCHEDULED'], async (tx, { scheduled_at, updatedAt, status }) => {
    if (updatedAt !== checked.updatedAt) throw new ChangedMeanwhile('The campaign');
    const isScheduled = status === 'DRAFT' && scheduled_at !== null && Date.parse(scheduled_at) > Date.now();
    await setRunning(tx, id, { isScheduled, called: 0, failed: 0 });
  });
}

export const resumeCampaign = async (kit: Kit, tenant: Tenant, id: string): Promise<Campaign> => {
  const checked = await expectCampaign(tenant.read, id);
  expectStatus(checked, ['PAUSED']);
  await checkSteps(kit, tenant, checked);
  return changeState(tenant, id, ['PAUSED'], async (tx, { scheduled_at, started_at }) => {
    const isScheduled = started_at === null && scheduled_at !== null && Date.parse(scheduled_at) > Date.now();
    await setRunning(tx, id, { isScheduled, ...(await countSends(tx, id)) });
  });
};

/** A campaign that is paused already is answered as it is, and stays paused until a user resumes it. */
export const pauseCampaign = (tenant: Tenant, id: string): Promise<Campaign> =>
  changeState(tenant, id, ['SCHEDULED', 'RUNNING', 'PAUSED'], async (tx, { status, pause_reason }) => {
    if (status === 'PAUSED' && pause_reason !== 'NETWORK_LIMIT') return;
    await setPaused(tx, id, { reason: 'USER', resumeSeconds: null }, null);
  });

export const cancelCampaign = (tenant: Tenant, id: string): Promise<Campaign> =>
  changeState(tenant, id, ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'CANCELLED'], async (tx, { status }) => {
    if (status !== 'CANCELLED') await setEnded(tx, id, 'CANCELLED');
  });

function expectStatus({ status }: CampaignRow, allowed: readonly Campaign['status'][]): void {
  if (!allowed.includes(status))
    throw new AppError('CAMPAIGN_STATE', `The campaign is ${status}; this requires ${allowed.join(' or ')}`);
}

/** Changes the state of a campaign that no worker works on at this moment: workers hold the campaign in each of their transactions. */
async function changeState(
  tenant: Tenant,
  id: string,
  allowed: readonly Campaign['status'][],
  change: (tx: TenantTx, before: CampaignRow) => Promise<unknown>,
): Promise<Campaign> {
  return tenant.tx(async (tx) => {
    const before = expectFound(await lockCampaign(tx, id));
    expectStatus(before, allowed);
    await change(tx, before);
    tx.wakes(CAMPAIGNS);
    return toCampaign(await expectCampaign(tx, id));
  });
}
