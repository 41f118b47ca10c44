/** Works on a bulk run until its last contact is done. A run that was interrupted anywhere is continued without sending to anybody twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AttachmentGone } from '../messages/files.ts';
import { openDispatch, type DispatchOptions } from '../sends/dispatch.ts';
import type { Fault } from '../sends/schemas.ts';
import { uploadFiles } from '../sends/sender.ts';
import { SourceLost } from '../sends/source.ts';
import { endRun, failRemaining } from './ending.ts';
import { releaseRun, renewHold } from './queries.ts';
import { makeSource, type Running } from './source.ts';

// The hold is renewed several times before it ends.
const HOLD_MS = 5_000;

/**
 * Returns true when the run has ended, and false when it was interrupted: what has begun is finished then, and the rest waits for a repeated
 * request. Throws what kept its messages from being stored.
 */
export async function workRun(running: Running, { calls, stopping }: DispatchOptions): Promise<boolean> {
  const { kit, acting, run, holder } = running;
  const lost = new AbortController();
  const over = AbortSignal.any([stopping, lost.signal]);
  const holding = setInterval(() => void renew(running, lost), HOLD_MS);
  try {
    const fault =
      (await uploadFiles(kit, running.sender, running.opened)) ?? (await sendAll(running, { calls, stopping: over }));
    if (lost.signal.aborted) throw new SourceLost();
    if (fault) await failRemaining(running, fault);
    else if (stopping.aborted) {
      await acting.tx((tx) => releaseRun(tx, { _id: run._id, holder }));
      return false;
    }
    return await endRun(running, holder);
  } finally {
    clearInterval(holding);
  }
}

/** Sends until no contact is left, or the work is over. Returns why the network would refuse all others. */
async function sendAll(running: Running, options: DispatchOptions): Promise<Fault | null> {
  const { stopping } = options;
  const dispatch = openDispatch(makeSource(running), options);
  try {
    for (let waitMs = 0; Number.isFinite(waitMs) && !stopping.aborted && dispatch.stop === null;) {
      waitMs = await dispatch.next();
      if (waitMs > 0 && Number.isFinite(waitMs))
        await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  } catch (error) {
    // Failure policy: without its file no message can be sent any more. After any other error the repeated request goes on.
    if (!(error instanceof AttachmentGone)) throw error;
    return { code: 'UNKNOWN_REFERENCE', message: error.message };
  } finally {
    await dispatch.end();
  }
  return dispatch.stop;
}

/** Never throws. */
async function renew({ kit, acting, run, holder }: Running, lost: AbortController): Promise<void> {
  try {
    if ((await acting.tx((tx) => renewHold(tx, run._id, holder))) === 0) lost.abort();
  } catch (error) {
    // Failure policy: the next renewal comes before the hold ends.
    kit.log.warn({ err: error, run: run._id }, 'bulk: the hold could not be renewed');
  }
}
