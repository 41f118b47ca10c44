/** Sends many deliveries of the log again: the run is stored at once, and a worker queues its deliveries portion by portion. */
import type { Kit } from '../../../kit.ts';
import { violates } from '../../../platform/store/db.ts';
import { createPortionedUpkeep, type UpkeepTask } from '../../../platform/work/due-work.ts';
import { AppError, invalid, notFound } from '../../../platform/values/errors.ts';
import { DELIVERIES } from '../../../platform/store/events.ts';
import { newId } from '../../../platform/values/ids.ts';
import { makePage, pageWindow, type Page } from '../../../platform/store/paging.ts';
import type { SystemTx, Tenant } from '../../../platform/store/tenant.ts';
import { findWebhook } from '../queries.ts';
import {
  cancelReplayRun,
  countChosen,
  countReplays,
  failReplay,
  findReplay,
  findRunningReplay,
  insertReplayRun,
  IS_DUE,
  listReplays,
  lockDueReplay,
  postponeReplay,
  replayPortion,
} from './queries.ts';
import type { DeliveryReplay, DeliveryReplayCreate, DeliveryReplayQuery } from './schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// What one run may look at; more would fill the queue of the company for hours.
const MOST_DELIVERIES = declareLimit(100_000, { topic: 'Webhooks', what: 'Replay: deliveries', beyond: '400' });
const PORTION = 100;
// No more is queued while so many deliveries of the company wait: what happens now is not to stand behind what has happened.
const MOST_WAITING = 200;
const PAUSE_SECONDS = 1;

export async function startReplay(tenant: Tenant, input: DeliveryReplayCreate): Promise<DeliveryReplay> {
  if (Date.parse(input.from) >= Date.parse(input.to)) throw invalid('to', 'must be later than from', 'TOO_EARLY');
  try {
    return await tenant.tx(async (tx) => {
      const webhook = await findWebhook(tx);
      if (webhook?.status !== 'ACTIVE') throw new AppError('WEBHOOK_INACTIVE');
      const replay = { ...input, _id: newId(), event: input.event ?? null, webhook: webhook._id, epoch: webhook.epoch };
      const total = await countChosen(tx, replay, MOST_DELIVERIES + 1);
      if (total > MOST_DELIVERIES)
        throw invalid('to', `is too late: more than ${MOST_DELIVERIES} deliveries match`, 'TOO_MANY_DELIVERIES');
      tx.created(replay._id);
      return insertReplayRun(tx, { ...replay, total });
    });
  } catch (error) {
    // Failure policy: the unique index reports a second run of the company; every other error goes to the caller.
    if (!violates(error, 'delivery_replays_running')) throw error;
    const refusal = new AppError('REPLAY_RUNNING');
    refusal.existingId = (await findRunningReplay(tenant.read))?._id ?? null;
    throw refusal;
  }
}

export async function readReplay(tenant: Tenant, id: string): Promise<DeliveryReplay> {
  const replay = await findReplay(tenant.read, id);
  if (!replay) throw notFound();
  return replay;
}

export async function pageReplays(tenant: Tenant, query: DeliveryReplayQuery): Promise<Page<DeliveryReplay>> {
  const { status = null } = query;
  const window = pageWindow('delivery-replays', query);
  const rows = await listReplays(tenant.read, status, window);
  return makePage(query, window, rows, () => countReplays(tenant.read, status, window));
}

/** Ends a run; what it has queued is sent. A run that has ended stays as it is. */
export async function cancelReplay(tenant: Tenant, id: string): Promise<DeliveryReplay> {
  return tenant.tx(async (tx) => {
    await cancelReplayRun(tx, id);
    const replay = await findReplay(tx, id);
    if (!replay) throw notFound();
    return replay;
  });
}

/** Queues the deliveries of the runs of all companies, a portion at a time. */
export function deliveryReplays(kit: Kit): UpkeepTask {
  return createPortionedUpkeep(kit, {
    due: IS_DUE,
    everyMs: 0,
    failure: 'deliveries: a replay waits',
    work: () => kit.database.systemTx('deliveries', workOnReplay),
  });
}

/** Returns false when no portion is due. */
async function workOnReplay(tx: SystemTx): Promise<boolean> {
  const replay = await lockDueReplay(tx, MOST_WAITING);
  if (!replay) return false;
  if (!replay.can_send) await failReplay(tx, replay, 'WEBHOOK_INACTIVE');
  else if (replay.waiting >= MOST_WAITING) await postponeReplay(tx, replay, PAUSE_SECONDS);
  else {
    await replayPortion(tx, replay, Array.from({ length: PORTION }, newId));
    tx.wakes(DELIVERIES);
  }
  return true;
}
