/** Sends many deliveries of the log again: the run is stored at once, and a worker queues its deliveries portion by portion. */
import type { Kit } from '../../../kit.ts';
import type { Origin } from '../../../platform/http/audit.ts';
import { DELIVERIES } from '../../../platform/store/events.ts';
import type { Tenant, TenantTx } from '../../../platform/store/tenant.ts';
import { AppError, invalid, unknownReference } from '../../../platform/values/errors.ts';
import { newId } from '../../../platform/values/ids.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import { ref } from '../../../platform/values/schema.ts';
import type { ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import type { RunKind } from '../../../platform/work/runs/kind.ts';
import type { ClaimedRun } from '../../../platform/work/runs/queries.ts';
import { addRun } from '../../../platform/work/runs/runs.ts';
import { startRuns, type Portion } from '../../../platform/work/runs/work.ts';
import { findDoorWebhook } from '../doors/queries.ts';
import { expectReceiver } from '../webhooks.ts';
import { countChosen, findReplayState, REPLAY_COLUMNS, replayPortion, type ReplayInput } from './queries.ts';
import { DeliveryReplay, REPLAY_STATUSES, type DeliveryReplayCreate } from './schemas.ts';

// What one run may look at; more would fill the queue of the company for hours.
const MOST_DELIVERIES = declareLimit(100_000, { topic: 'Webhooks', what: 'Replay: deliveries', beyond: '400' });
const PORTION = 100;
// No more is queued while so many deliveries of the company wait: what happens now is not to stand behind what has happened.
const MOST_WAITING = 200;
const PAUSE_SECONDS = 1;

export const REPLAYS: RunKind<DeliveryReplay> = {
  name: 'REPLAY',
  schema: ref(DeliveryReplay),
  statuses: REPLAY_STATUSES,
  list: 'delivery-replays',
  columns: REPLAY_COLUMNS,
  mostOpen: 1,
  refuse: ([running = null]) => Object.assign(new AppError('REPLAY_RUNNING'), { existingId: running }),
  crashed: { code: 'RUN_CRASHED', message: 'The replay crashed its process twice; what it has queued is sent' },
};

export async function startReplay(
  tenant: Tenant,
  asked: DeliveryReplayCreate,
  origin: Origin,
): Promise<DeliveryReplay> {
  if (Date.parse(asked.from) >= Date.parse(asked.to)) throw invalid('to', 'must be later than from', 'TOO_EARLY');
  const { type, id, name } = tenant.principal;
  return tenant.tx(async (tx) => {
    const { webhook: door = null, ...period } = asked;
    if (door !== null && !(await findDoorWebhook(tx, door))) throw unknownReference('webhook');
    const { _id: webhook, epoch } = await expectReceiver(tx, door);
    const total = await countChosen(tx, { ...period, door }, MOST_DELIVERIES + 1);
    if (total > MOST_DELIVERIES)
      throw invalid('to', `is too late: more than ${MOST_DELIVERIES} deliveries match`, 'TOO_MANY_DELIVERIES');
    const input: ReplayInput = { ...period, webhook, epoch, isDoor: door !== null };
    return addRun(tx, REPLAYS, { input, subjects: null, total, actor: { type, id, name }, origin });
  });
}

export const startReplays = (kit: Kit): ClaimLoop =>
  startRuns<ReplayInput>(kit, {
    kind: REPLAYS,
    perCompany: 1,
    begin: (run) => ({ portion: (tx) => queuePortion(tx, run) }),
  });

async function queuePortion(tx: TenantTx, run: ClaimedRun<ReplayInput>): Promise<Portion> {
  const { can_send, waiting } = await findReplayState(tx, run.input, MOST_WAITING);
  if (!can_send)
    return { progress: null, end: { error: { code: 'WEBHOOK_INACTIVE', message: 'The webhook is inactive' } } };
  if (waiting >= MOST_WAITING) return { progress: null, pauseSeconds: PAUSE_SECONDS };
  const progress = await replayPortion(tx, run, Array.from({ length: PORTION }, newId));
  if (progress.created > 0) tx.wakes(DELIVERIES);
  return progress.place ? { progress } : { progress: null, end: { error: null } };
}
