/**
 * Sends the messages of a source at the pace of its number: takes portions of what is due, calls the network at each slot, and stores the answers.
 * Whatever dies in between, no one gets a message twice: a row waits for nothing any more once the call for it may have begun.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { declareLimit } from '../../platform/values/limits.ts';
import type { Shares } from '../../platform/work/shares.ts';
import type { AnswerBatches } from './answer-batches.ts';
import { createOutcomes } from './outcomes.ts';
import { takePortion, type Portion } from './portion.ts';
import type { Fault } from './schemas.ts';
import { callTemplate, findOverload, refuseCall } from './sender.ts';
import type { Call, Candidate, Outcome, SendSource } from './source.ts';

// The messages of one portion. A transaction costs as much as thirty rows, so a portion waits until so many can be called.
const PORTION = 96;
// The most calls that a source waits for: those of one portion while the next one is stored.
const MAX_CALLS = 2 * PORTION;
// A portion has the messages of this time. They are lost to a process that dies, because no one knows whether they have left.
const STRETCH_SECONDS = 0.2;
// How often the network may refuse a message because of a rate limit before the message fails. With the pauses this takes a quarter of an hour.
const MAX_REFUSALS = declareLimit(20, {
  topic: 'Campaigns',
  what: "Bulk send, campaign: retries of a message after the network's rate limit",
  beyond: 'FAILED',
});
// The longest sleep before the next look, so that a pause and a stop need not wait.
const LOOK_MS = 1_000;
// A longer wait for a slot is the caller's.
export const MAX_WAIT_MS = 2_000;

/** Why the network would refuse all other messages of the source as well. */
export interface Stop extends Fault {
  refuses: 'TEMPLATE' | 'CREDENTIALS';
}

export interface DispatchOptions {
  /** Shares the calls of this process among companies. */
  calls: Shares;
  /** Aborted when the process stops, or another one has the source: what has begun is finished, and the rest waits. */
  stopping: AbortSignal;
}

export interface Dispatch {
  /** Present when the network has refused the template or the credentials as such. */
  readonly stop: Stop | null;
  /**
   * Takes a portion and begins its calls. Returns for how many milliseconds no slot is free, more than MAX_WAIT_MS; Infinity when nothing is due
   * and all answers are stored; otherwise zero. Throws SourceLost.
   */
  next(): Promise<number>;
  /** Waits until all calls have ended and their answers are stored. */
  end(): Promise<void>;
}

interface Work<C extends Candidate> extends DispatchOptions {
  source: SendSource<C>;
  outcomes: AnswerBatches<Outcome<C>>;
  calling: Set<Promise<void>>;
  /** The last look whether the source is open; calls that wait at the same time share it. */
  look: { atMs: number; isOpen: Promise<boolean> } | null;
  stop: Stop | null;
}

export function openDispatch<C extends Candidate>(source: SendSource<C>, options: DispatchOptions): Dispatch {
  const work: Work<C> = {
    ...options,
    source,
    outcomes: createOutcomes(source),
    calling: new Set(),
    look: null,
    stop: null,
  };
  return {
    get stop() {
      return work.stop;
    },
    next: async () => act(work, await takePortion(source, countPortion(work))),
    end: async () => {
      await Promise.all(work.calling);
      await work.outcomes.drain();
    },
  };
}

const countPortion = <C extends Candidate>({ source: { sender } }: Work<C>): number =>
  Math.min(PORTION, Math.ceil(sender.lane.rate * STRETCH_SECONDS));

/** Begins the calls of a portion, and waits until the next one is worth a transaction. */
async function act<C extends Candidate>(work: Work<C>, { calls, nextMs, isIdle }: Portion<C>): Promise<number> {
  const { calling, outcomes, stopping } = work;
  for (const { call, atMs } of calls) {
    const promise = callAt(work, call, atMs).finally(() => calling.delete(promise));
    calling.add(promise);
  }
  while (MAX_CALLS - calling.size < countPortion(work)) await Promise.race(calling);
  if (isIdle && calling.size > 0) await Promise.race(calling);
  else if (isIdle) return (await outcomes.drain()) ? 0 : Number.POSITIVE_INFINITY;
  const waitMs = nextMs - performance.now();
  if (waitMs > MAX_WAIT_MS) return waitMs;
  if (waitMs > 0) await sleep(Math.min(waitMs, LOOK_MS), undefined, { signal: stopping }).catch(() => undefined);
  return 0;
}

/** Never throws. */
async function callAt<C extends Candidate>(work: Work<C>, call: Call<C>, atMs: number): Promise<void> {
  const { source, calls, outcomes } = work;
  const { kit, sender, acting } = source;
  if (!(await waitUntil(work, atMs)))
    return outcomes.add({ call, result: refuseCall('The sending stops'), again: 'stop' });
  const result = await calls
    .within(acting.companyId, () => callTemplate(kit, sender, source.files(call.row).files, call))
    .catch((error: unknown) => {
      // Failure policy: no slot of this process came free in time, so the network was not called, and the message is tried again.
      kit.log.warn({ err: error, source: source.name }, 'sends: a call could not begin');
      return null;
    });
  if (result === null) return outcomes.add({ call, result: refuseCall('The platform was too busy'), again: 'stop' });
  const again = call.row.refusals < MAX_REFUSALS ? findOverload(sender, result) : null;
  outcomes.add({ call, result, again });
  if (result.outcome !== 'rejected' || !result.network) return;
  const { code, details, message } = result.error;
  const { channel } = sender;
  const refuses = channel.refusesTemplate?.(code)
    ? 'TEMPLATE'
    : channel.refusesCredentials?.(code)
      ? 'CREDENTIALS'
      : null;
  if (refuses) work.stop ??= { refuses, code, message: details || message };
}

/** Waits for the moment of a call. Returns false when the process or the source stops meanwhile. */
async function waitUntil<C extends Candidate>(work: Work<C>, atMs: number): Promise<boolean> {
  const { stopping } = work;
  for (let leftMs = atMs - performance.now(); leftMs > 0 && !stopping.aborted; leftMs = atMs - performance.now()) {
    await sleep(Math.min(leftMs, LOOK_MS), undefined, { signal: stopping }).catch(() => undefined);
    if (leftMs > LOOK_MS && !(await isOpen(work))) return false;
  }
  return !stopping.aborted;
}

function isOpen<C extends Candidate>(work: Work<C>): Promise<boolean> | boolean {
  const { source } = work;
  if (!source.isOpen) return true;
  const nowMs = performance.now();
  if (work.look === null || nowMs - work.look.atMs > LOOK_MS / 2) {
    // Failure policy: a source that cannot be looked up goes on, because its messages have been taken for sending.
    work.look = { atMs: nowMs, isOpen: source.isOpen().catch(() => true) };
  }
  return work.look.isOpen;
}
