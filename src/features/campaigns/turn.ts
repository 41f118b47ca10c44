/**
 * Works on a campaign for one turn: enrols its audience, takes portions of messages whose time has come, and calls the network at each slot.
 * Whatever dies in between, no one gets a step twice: an enrollment waits for nothing any more once the call for it may have begun.
 */
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { failUnsent } from '../messages/settle.ts';
import { MAX_WAIT_MS, openDispatch, type Dispatch, type DispatchOptions } from '../sends/dispatch.ts';
import { SourceLost } from '../sends/source.ts';
import { enrolNext } from './enrol.ts';
import { findHoursWait } from './hours.ts';
import { countSends, findNextDue } from './portion-queries.ts';
import { findCampaignWork, type CampaignWork } from './queries.ts';
import { openRun, type Run } from './run.ts';
import { makeSource, NOT_SENT } from './source.ts';
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

// The longest pause of a campaign that waits for its next step: steps are planned when a message is accepted, perhaps by another process.
const MAX_PAUSE_SECONDS = 30;
// A share of failures says something only of so many messages.
const LEAST_CALLS = 20;
// The enrollments that one transaction cancels.
const CANCELLED_AT_ONCE = 1_000;

interface Work {
  run: Run;
  campaign: CampaignWork;
  stopping: AbortSignal;
  dispatch: Dispatch;
  /** Why the campaign pauses. */
  pause: Pause['reason'] | null;
}

export interface TurnOptions extends DispatchOptions {
  isOver(): boolean;
}

/** Returns for how many seconds the campaign rests; null when its next turn may begin at once, or when nothing is left to be done. */
export async function workOnCampaign(
  kit: Kit,
  claimed: ClaimedCampaign,
  { isOver, ...options }: TurnOptions,
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
  const dispatch = openDispatch(makeSource(run), options);
  const work: Work = { run, campaign, stopping: options.stopping, dispatch, pause: null };
  const waitSeconds = await sendUntil(work, isOver);
  // A campaign whose turn was lost is no longer this worker's, or its company is suspended: then it is looked at again later.
  return waitSeconds === 'lost' ? MAX_PAUSE_SECONDS : finishTurn(work, waitSeconds);
}

/** Sends until the turn is over. Returns how long the campaign has to wait for its hours or its number. */
async function sendUntil(work: Work, isOver: () => boolean): Promise<number | 'lost'> {
  const { campaign, dispatch, run } = work;
  try {
    while (!isOver() && !work.stopping.aborted && findPause(work) === null) {
      const waitSeconds = findWait(work);
      // The audience is taken in at the start, also outside of the sending hours.
      if (waitSeconds > 0 && campaign.is_enrolled) return waitSeconds;
      if (await failsTooOften(work)) work.pause = 'ERROR_RATE';
      else if (!campaign.is_enrolled) campaign.is_enrolled = await enrolNext(run, campaign);
      if (waitSeconds > 0 || work.pause !== null) continue;
      const pauseMs = await dispatch.next();
      if (pauseMs > MAX_WAIT_MS && (campaign.is_enrolled || Number.isFinite(pauseMs))) return pauseMs / 1_000;
    }
  } catch (error) {
    if (error instanceof SourceLost) return 'lost';
    // Failure policy: a template that cannot be sent any more, or an audience whose fields are gone, pauses the campaign until a user has changed
    // it; any other error is tried again later.
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    work.pause = 'TEMPLATE';
  } finally {
    await dispatch.end();
  }
  return 0;
}

/** A network that refuses the template or the credentials as such would refuse all other messages as well. */
const findPause = ({ pause, dispatch: { stop } }: Work): Pause['reason'] | null =>
  pause ?? (stop && (stop.refuses === 'TEMPLATE' ? 'TEMPLATE' : 'ERROR_RATE'));

const findWait = ({ campaign: { options }, run }: Work): number =>
  findHoursWait(options.sending_hours, options.time_zone ?? run.sender.inbox.time_zone ?? 'UTC', new Date());

async function failsTooOften({ campaign, run }: Work): Promise<boolean> {
  const { error_threshold } = campaign.options;
  if (error_threshold === null) return false;
  const { called, failed } = await countSends(run.acting.read, campaign._id);
  const [since, bad] = [called - campaign.called_before, failed - campaign.failed_before];
  return since >= LEAST_CALLS && bad * 100 >= since * error_threshold;
}

/** Pauses or completes the campaign, or says for how long it rests. */
async function finishTurn(work: Work, waitSeconds: number): Promise<number | null> {
  const { run, campaign, stopping } = work;
  const { acting, turn } = run;
  const reason = findPause(work);
  if (reason !== null) {
    await acting.tx((tx) => setPaused(tx, campaign._id, { reason, resumeSeconds: null }, turn.claimed_at));
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
