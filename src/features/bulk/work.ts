/**
 * Works on a run until its last contact is done: stores messages ahead of their turn, reserves slots of the number, and calls the network at
 * each slot. Only a message of which the database knows that its call begins is ever given to the network, so that a run which was
 * interrupted anywhere is continued without sending to anybody twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PHONE_NUMBER } from '../../channels/identity.ts';
import type { SendResult } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import { reservePairs, reserveSlots } from '../../platform/work/pacing.ts';
import type { Shares } from '../../platform/work/shares.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { repeatOvertaken } from '../../platform/store/overtaken.ts';
import { AttachmentGone } from '../messages/files.ts';
import { endRun, failRemaining } from './ending.ts';
import type { AnswerBatches } from './answer-batches.ts';
import { createOutcomes, type Outcome } from './outcomes.ts';
import { prepareNext } from './prepare.ts';
import { releaseRun, renewHold } from './queries.ts';
import { listReady, markCalling, type ReadyRow, type RowFault } from './row-queries.ts';
import { RunLost, type Running } from './running.ts';
import { callTemplate, findOverload, refuseCall, toPerson, uploadFiles } from './sender.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// Messages are stored ahead, so that no slot waits for a transaction; more would only take longer to give up.
const READY_AHEAD = 100;
// A run reserves the times at which it may send, for STRETCH_SECONDS in one statement, and does so again LEAD_MS before they end. Both are
// short, because reserved times are lost when the process dies.
const LEAD_MS = 300;
const STRETCH_SECONDS = 0.1;
// The most calls that a run waits for. At 64 a second a network may take a second for each answer.
const MAX_CALLS = 96;
// A transaction costs as much as thirty rows. Fewer messages than these wait for others that can begin soon.
const WORTHWHILE = 48;
// How often the network may refuse a message because of a rate limit before the message fails. With the pauses this takes some minutes.
const MAX_REFUSALS = declareLimit(5, {
  topic: 'Campaigns',
  what: "Bulk send: retries of a message after the network's rate limit",
  beyond: 'FAILED',
});
// The hold is renewed several times before it ends.
const HOLD_MS = 5_000;
// The longest sleep before the next look at the slots, so that a stop need not wait.
const LOOK_MS = 1_000;

interface Work {
  kit: Kit;
  running: Running;
  /** Shares the calls of this process among companies. */
  calls: Shares;
  stopping: AbortSignal;
  outcomes: AnswerBatches<Outcome>;
  ready: ReadyRow[];
  /** True when no message is left to be stored. */
  isPrepared: boolean;
  preparing: Promise<void> | null;
  calling: Set<Promise<void>>;
  /** Why the rest is not sent: the network has refused the template or the credentials as such. */
  refused: RowFault | null;
  lost: boolean;
  failure: Error | null;
  /** Ends the wait of waitForSomething(). */
  wake: () => void;
}

export interface WorkOptions {
  calls: Shares;
  /** Aborted when the process stops: what has begun is finished, and the rest waits for a repeated request. */
  stopping: AbortSignal;
}

/** Returns true when the run has ended, and false when it was interrupted. Throws what kept its messages from being stored. */
export async function workRun(kit: Kit, running: Running, { calls, stopping }: WorkOptions): Promise<boolean> {
  const { acting, run, holder } = running;
  const work: Work = {
    kit,
    running,
    calls,
    stopping,
    outcomes: createOutcomes(kit, running),
    ready: await listReady(acting.read, run._id, PHONE_NUMBER.kind),
    isPrepared: false,
    preparing: null,
    calling: new Set(),
    refused: null,
    lost: false,
    failure: null,
    wake: () => undefined,
  };
  const holding = setInterval(() => void renew(work), HOLD_MS);
  try {
    work.refused = await uploadFiles(kit, running, running);
    while (!isOver(work)) await step(work);
    await Promise.all([work.preparing, ...work.calling]);
    await work.outcomes.drain();
    if (work.lost) throw new RunLost();
    if (work.refused) await failRemaining(running, work.refused);
    else if (work.failure !== null) throw work.failure;
    else if (stopping.aborted) {
      await acting.tx((tx) => releaseRun(tx, { _id: run._id, holder }));
      return false;
    }
    return await endRun(running, holder);
  } finally {
    clearInterval(holding);
  }
}

const isIdle = ({ ready, isPrepared, preparing, calling }: Work): boolean =>
  isPrepared && preparing === null && ready.length === 0 && calling.size === 0;

const isOver = (work: Work): boolean =>
  work.stopping.aborted || work.refused !== null || work.lost || work.failure !== null || isIdle(work);

async function step(work: Work): Promise<void> {
  const { ready, calling, running } = work;
  if (!work.isPrepared && work.preparing === null && ready.length < READY_AHEAD) work.preparing = prepareMore(work);
  const stretch = Math.max(1, Math.ceil(running.lane.rate * STRETCH_SECONDS));
  const most = Math.min(ready.length, MAX_CALLS - calling.size, stretch);
  // When nothing is prepared, these are the last messages.
  const least = Math.min(work.preparing ? Infinity : ready.length, stretch, WORTHWHILE);
  if (most < Math.max(1, least)) return waitForSomething(work);
  const { begun, waitMs } = await begin(work, ready.splice(0, most));
  for (const { row, inMs } of begun) launch(work, row, inMs);
  if (waitMs > 0) await sleep(Math.min(waitMs, LOOK_MS), undefined, { signal: work.stopping }).catch(() => undefined);
}

/** Waits until a call ends or messages are stored. */
const waitForSomething = (work: Work): Promise<void> => new Promise((resolve) => (work.wake = resolve));

/** Never throws. */
async function prepareMore(work: Work): Promise<void> {
  try {
    const rows = await prepareNext(work.running);
    if (rows === null) work.isPrepared = true;
    else work.ready.push(...rows);
  } catch (error) {
    // Failure policy: the run stops here; the caller gets the error, and the repeated request goes on.
    if (error instanceof RunLost) work.lost = true;
    else if (error instanceof AttachmentGone) work.refused = { code: 'UNKNOWN_REFERENCE', message: error.message };
    else work.failure = error as Error;
  } finally {
    work.preparing = null;
    work.wake();
  }
}

interface Begun {
  begun: { row: ReadyRow; inMs: number }[];
  /** How long the next reservation may wait. */
  waitMs: number;
}

/** Reserves slots for the first of these messages, and notes that their calls begin. The others become ready again. */
async function begin(work: Work, rows: ReadyRow[]): Promise<Begun> {
  const { lane, acting } = work.running;
  try {
    const reserve = async (tx: TenantTx): Promise<Begun> => {
      const { granted, firstInMs } = await reserveSlots(tx, lane, rows.length);
      const taken = rows.slice(0, granted);
      const [marked, pairs] = granted === 0 ? NONE : await markAndPair(tx, work.running, taken);
      const real = taken.filter(({ row }) => marked.has(row));
      const gapMs = 1000 / lane.rate;
      tx.afterCommit(() => work.ready.unshift(...rows.slice(granted)));
      return {
        begun: real.map((row) => {
          const slotMs = firstInMs + taken.indexOf(row) * gapMs;
          return { row, inMs: Math.max(slotMs, pairs.get(toPerson(row.phone)) ?? 0) };
        }),
        waitMs: firstInMs + granted * gapMs - (granted === 0 ? 1000 - gapMs : LEAD_MS),
      };
    };
    return await repeatOvertaken(() => acting.tx(reserve));
  } catch (error) {
    // Failure policy: no call has begun, so the rows stay READY for the process that continues the run.
    work.failure = error as Error;
    return { begun: [], waitMs: 0 };
  }
}

type MarkedAndPaired = [marked: Set<number>, pairs: Map<string, number>];
const NONE: MarkedAndPaired = [new Set(), new Map()];

/** The two statements travel together. A pair that is reserved for a message which could not be marked only makes the next one wait. */
async function markAndPair(tx: TenantTx, { run, holder, lane }: Running, taken: ReadyRow[]): Promise<MarkedAndPaired> {
  const rows = taken.map(({ row }) => row);
  const people = taken.map(({ phone }) => toPerson(phone));
  const [marked, pairs] = await Promise.all([
    markCalling(tx, { _id: run._id, holder }, rows),
    reservePairs(tx, lane, people),
  ]);
  return [new Set(marked), pairs];
}

function launch(work: Work, ready: ReadyRow, inMs: number): void {
  const call = callAt(work, ready, inMs).finally(() => {
    calling.delete(call);
    work.wake();
  });
  const { calling } = work;
  calling.add(call);
}

/** Never throws. */
async function callAt(work: Work, ready: ReadyRow, inMs: number): Promise<void> {
  const { kit, running, calls, outcomes } = work;
  const { acting } = running;
  const to = { ...PHONE_NUMBER.identify(ready.phone), address: ready.address };
  if (!(await waitFor(inMs, work.stopping))) return outcomes.add({ ready, result: NOT_BEGUN, again: 'stop' });
  const result = await calls
    .within(acting.companyId, () => callTemplate(kit, running, running.files, { ...ready, to }))
    .catch((error: unknown): SendResult => {
      // Failure policy: no slot of this process came free in time, so the network was not called.
      kit.log.warn({ err: error, run: running.run._id }, 'bulk: a call could not begin');
      return refuseCall('The platform was too busy');
    });
  const overload = findOverload(running, result);
  const again = overload && ready.refusals < MAX_REFUSALS ? overload : null;
  outcomes.add({ ready, result, again });
  if (again) {
    // The database must know that the message is ready again before it is begun again.
    await outcomes.drain();
    work.ready.push({ ...ready, refusals: ready.refusals + 1 });
  }
  if (result.outcome === 'rejected' && result.network && concernsAll(running, result.error.code))
    work.refused ??= { code: result.error.code, message: result.error.details || result.error.message };
}

/** Returns false when the process stops meanwhile. */
async function waitFor(ms: number, stopping: AbortSignal): Promise<boolean> {
  if (ms > 0) await sleep(ms, undefined, { signal: stopping }).catch(() => undefined);
  return !stopping.aborted;
}

const NOT_BEGUN = refuseCall('The platform stops');

/** Whether the network would refuse all other messages of the run as well. */
const concernsAll = ({ channel }: Running, code: number | string): boolean =>
  channel.refusesCredentials?.(code) === true || channel.refusesTemplate?.(code) === true;

/** Never throws. */
async function renew(work: Work): Promise<void> {
  const { acting, run, holder } = work.running;
  try {
    if ((await acting.tx((tx) => renewHold(tx, run._id, holder))) === 0) work.lost = true;
  } catch (error) {
    // Failure policy: the next renewal comes before the hold ends.
    work.kit.log.warn({ err: error, run: run._id }, 'bulk: the hold could not be renewed');
  }
}
