/**
 * Works on a campaign for one turn: enrols its audience, takes portions of messages whose time has come, and calls the network at each slot.
 * Whatever dies in between, no one gets a step twice: an enrollment waits for nothing any more once the call for it may have begun.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import type { Shares } from '../../platform/work/shares.ts';
import { failUnsent } from '../messages/settle.ts';
import type { AnswerBatches } from '../bulk/answer-batches.ts';
import { callTemplate, findOverload, refuseCall } from '../bulk/sender.ts';
import { enrolNext } from './enrol.ts';
import { findHoursWait } from './hours.ts';
import { createOutcomes, NOT_SENT } from './outcomes.ts';
import { countSends, findNextDue } from './portion-queries.ts';
import { takePortion, type Portion } from './portion.ts';
import { findCampaignWork, type CampaignWork } from './queries.ts';
import { openRun, type CallOutcome, type PlannedCall, type Run } from './run.ts';
import {
  cancelWaiting,
  completeCampaign,
  listWaitingMessages,
  setEnded,
  setPaused,
  settleTurn,
  type Pause,
} from './state-queries.ts';
import type { ClaimedCampaign } from './turn-queries.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// The messages of one portion, and the most calls that a campaign waits for.
const PORTION = 100;
const MAX_CALLS = 96;
// A transaction costs as much as thirty rows. Fewer messages than these wait for others that can begin soon.
const WORTHWHILE = 48;
// A portion has the messages of this time. They are lost to a process that dies, because no one knows whether they have left.
const STRETCH_SECONDS = 0.25;
// How often the network may refuse a message because of a rate limit before the message fails.
const MAX_REFUSALS = declareLimit(20, {
  topic: 'Campaigns',
  what: "Campaign: retries of a message after the network's rate limit",
  beyond: 'FAILED',
});
// The longest sleep before the next look, so that a pause and a stop need not wait.
const LOOK_MS = 1_000;
// The longest pause of a campaign that waits for its next step: steps are planned when a message is accepted, perhaps by another process.
const MAX_PAUSE_SECONDS = 30;
// A share of failures says something only of so many messages.
const LEAST_CALLS = 20;
// The enrollments that one transaction cancels.
const CANCELLED_AT_ONCE = 1_000;

interface Work {
  run: Run;
  campaign: CampaignWork;
  calls: Shares;
  stopping: AbortSignal;
  outcomes: AnswerBatches<CallOutcome>;
  calling: Set<Promise<void>>;
  /** The last look whether the campaign runs; calls that wait at the same time share it. */
  look: { atMs: number; isRunning: Promise<boolean> } | null;
  /** Why the campaign pauses: the network has refused the template or the credentials as such. */
  refused: Pause['reason'] | null;
}

export interface TurnOptions {
  /** Shares the calls of this process among companies. */
  calls: Shares;
  stopping: AbortSignal;
  isOver(): boolean;
}

/** Returns for how many seconds the campaign rests; null when its next turn may begin at once, or when nothing is left to be done. */
export async function workOnCampaign(
  kit: Kit,
  claimed: ClaimedCampaign,
  { calls, stopping, isOver }: TurnOptions,
): Promise<number | null> {
  const { company, _id, claimed_at } = claimed;
  const campaign = await findCampaignWork(kit.database.read(company), _id);
  if (!campaign) return null;
  const turn = { campaign: _id, claimed_at };
  const run = await openRun(kit, company, campaign, turn);
  if (campaign.status !== 'RUNNING') return cancelRest(run, campaign.enrolled_upto !== null);
  if (run.sender.inbox.status !== 'ACTIVE') {
    await run.acting.tx((tx) => setEnded(tx, _id, 'FAILED'));
    return null;
  }
  const work: Work = {
    run,
    campaign,
    calls,
    stopping,
    outcomes: createOutcomes(kit, run),
    calling: new Set(),
    look: null,
    refused: null,
  };
  const waitSeconds = await sendUntil(work, isOver);
  // A campaign whose turn was lost is no longer this worker's, or its company is suspended: then it is looked at again later.
  return waitSeconds === 'lost' ? MAX_PAUSE_SECONDS : finishTurn(work, waitSeconds);
}

/** Sends until the turn is over. Returns how long the campaign has to wait for its hours or its number. */
async function sendUntil(work: Work, isOver: () => boolean): Promise<number | 'lost'> {
  try {
    while (!isOver() && !work.stopping.aborted && work.refused === null) {
      const waitSeconds = findWait(work);
      // The audience is taken in at the start, also outside of the sending hours.
      if (waitSeconds > 0 && work.campaign.is_enrolled) return waitSeconds;
      if (await failsTooOften(work)) work.refused = 'ERROR_RATE';
      else if (!work.campaign.is_enrolled) work.campaign.is_enrolled = await enrolNext(work.run, work.campaign);
      if (waitSeconds > 0) continue;
      const portion = work.refused === null ? await takePortion(work.run, choosePortion(work)) : null;
      if (portion?.isOver) return 'lost';
      const pauseMs = portion ? await act(work, portion) : 0;
      if (pauseMs > MAX_WAIT_MS) return pauseMs / 1_000;
    }
  } catch (error) {
    // Failure policy: a template that cannot be sent any more, or an audience whose fields are gone, pauses the campaign until a user has changed
    // it; any other error is tried again later.
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    work.refused = 'TEMPLATE';
  } finally {
    await Promise.all(work.calling);
    await work.outcomes.drain();
  }
  return 0;
}

const countStretch = ({ run: { sender } }: Work): number => Math.ceil(sender.lane.rate * STRETCH_SECONDS);

const choosePortion = (work: Work): number =>
  Math.max(1, Math.min(PORTION, MAX_CALLS - work.calling.size, countStretch(work)));

// A longer wait for a slot ends the turn.
const MAX_WAIT_MS = 2_000;

const findWait = ({ campaign: { options }, run }: Work): number =>
  findHoursWait(options.sending_hours, options.time_zone ?? run.sender.inbox.time_zone ?? 'UTC', new Date());

async function failsTooOften({ campaign, run }: Work): Promise<boolean> {
  const { error_threshold } = campaign.options;
  if (error_threshold === null) return false;
  const { called, failed } = await countSends(run.acting.read, campaign._id);
  const [since, bad] = [called - campaign.called_before, failed - campaign.failed_before];
  return since >= LEAST_CALLS && bad * 100 >= since * error_threshold;
}

/** Calls the network for a portion. Returns how long the next portion may wait. */
async function act(work: Work, { calls, waitMs, looked }: Portion): Promise<number> {
  for (const { call, inMs } of calls) {
    const promise = callAt(work, call, inMs).finally(() => work.calling.delete(promise));
    work.calling.add(promise);
  }
  while (MAX_CALLS - work.calling.size < Math.min(WORTHWHILE, countStretch(work))) await Promise.race(work.calling);
  if (looked === 0 && work.campaign.is_enrolled) {
    if (work.calling.size === 0) return Number.POSITIVE_INFINITY;
    await Promise.race(work.calling);
  }
  if (waitMs > MAX_WAIT_MS) return waitMs;
  if (waitMs > 0) await sleep(Math.min(waitMs, LOOK_MS), undefined, { signal: work.stopping }).catch(() => undefined);
  return 0;
}

/** Never throws. */
async function callAt(work: Work, call: PlannedCall, inMs: number): Promise<void> {
  const { run, calls, outcomes } = work;
  const { kit, sender, steps, acting } = run;
  const step = steps.get(call.step);
  if (!(await waitFor(work, inMs)) || !step)
    return outcomes.add({ call, result: refuseCall('The platform stops, or the campaign does'), again: 'stop' });
  const result = await calls
    .within(acting.companyId, () => callTemplate(kit, sender, step.opened.files, call))
    .catch((error: unknown) => {
      // Failure policy: no slot of this process came free in time, so the network was not called, and the message is tried again.
      kit.log.warn({ err: error, campaign: work.campaign._id }, 'campaigns: a call could not begin');
      return null;
    });
  if (result === null) return outcomes.add({ call, result: refuseCall('The platform was too busy'), again: 'stop' });
  const overload = findOverload(sender, result);
  outcomes.add({ call, result, again: call.refusals < MAX_REFUSALS ? overload : null });
  if (result.outcome !== 'rejected' || !result.network) return;
  const { code } = result.error;
  if (sender.channel.refusesTemplate?.(code)) work.refused ??= 'TEMPLATE';
  if (sender.channel.refusesCredentials?.(code)) work.refused ??= 'ERROR_RATE';
}

/** Waits for the moment of a call. Returns false when the process or the campaign stops meanwhile. */
async function waitFor(work: Work, ms: number): Promise<boolean> {
  const { stopping } = work;
  for (let leftMs = ms; leftMs > 0 && !stopping.aborted; leftMs -= LOOK_MS) {
    await sleep(Math.min(leftMs, LOOK_MS), undefined, { signal: stopping }).catch(() => undefined);
    if (leftMs > LOOK_MS && !(await isRunning(work))) return false;
  }
  return !stopping.aborted;
}

function isRunning(work: Work): Promise<boolean> {
  const { run, campaign } = work;
  const nowMs = performance.now();
  if (work.look === null || nowMs - work.look.atMs > LOOK_MS / 2) {
    // Failure policy: a campaign that cannot be looked up goes on, because its messages have been taken for sending.
    const found = findCampaignWork(run.acting.read, campaign._id).then(
      (row) => row?.status === 'RUNNING',
      () => true,
    );
    work.look = { atMs: nowMs, isRunning: found };
  }
  return work.look.isRunning;
}

/** Pauses or completes the campaign, or says for how long it rests. */
async function finishTurn({ run, campaign, refused, stopping }: Work, waitSeconds: number): Promise<number | null> {
  const { acting, turn } = run;
  if (refused !== null) {
    await acting.tx((tx) => setPaused(tx, campaign._id, { reason: refused, resumeSeconds: null }, turn.claimed_at));
    return null;
  }
  if (stopping.aborted) return null;
  if ((await acting.tx((tx) => completeCampaign(tx, turn))) > 0) return null;
  if (waitSeconds > 0 && Number.isFinite(waitSeconds)) return waitSeconds;
  // While the audience is still being enrolled, the loop comes back at once.
  if (!campaign.is_enrolled) return null;
  const next = await findNextDue(acting.read, campaign._id);
  if (next !== null && next <= 0) return null;
  return Math.min(next ?? MAX_PAUSE_SECONDS, MAX_PAUSE_SECONDS);
}

/** Cancels what a cancelled or failed campaign has not sent, a portion at a time. */
async function cancelRest({ acting, turn, campaign }: Run, hasBegun: boolean): Promise<null> {
  for (let cancelled = -1; cancelled !== 0;) {
    cancelled = await acting.tx(async (tx) => {
      // Messages are locked before enrollments everywhere, so messages that wait to be sent again become FAILED first.
      await failUnsent(tx, await listWaitingMessages(tx, campaign._id, CANCELLED_AT_ONCE), NOT_SENT);
      return cancelWaiting(tx, campaign._id, { hasBegun, most: CANCELLED_AT_ONCE });
    });
  }
  await acting.tx((tx) => settleTurn(tx, turn));
  return null;
}
