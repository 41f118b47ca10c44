/** Stores what became of the call that sent a message. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SendResult } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import { isAway, isUnavailable } from '../../platform/store/db.ts';
import type { Acting, TenantTx } from '../../platform/store/tenant.ts';
import { returnPlaces } from '../inboxes/portfolio.ts';
import type { Call } from './network-call.ts';
import { findMessage } from './queries.ts';
import type { Message } from './schemas.ts';
import { settle, type KnownResult } from './settle.ts';

// The pauses between tries to store the outcome. They are short, because a lock soon passes and the caller waits for the answer.
const SETTLE_PAUSES_MS = [0, 250, 1_000];
// The pauses of further tries while the database is away: an hour in all, as a long failover needs.
const AWAY_PAUSE_MS = 2_000;
const AWAY_TRIES = 1_800;

/** Stores the outcome and returns the message as it is then; when the database is away, it goes on trying. Never throws. */
export async function settleCall(kit: Kit, acting: Acting, call: Call, result: SendResult): Promise<Message> {
  const { stored } = call;
  let isLater = false;
  for (const pauseMs of SETTLE_PAUSES_MS) {
    try {
      if (pauseMs > 0) await sleep(pauseMs);
      const settled = result.outcome === 'unknown' ? null : await acting.tx((tx) => settleOne(kit, tx, call, result));
      return settled ?? (await findMessage(acting.read, stored._id)) ?? stored;
    } catch (error) {
      // Failure policy: no error is thrown, because it would make the caller send again. After the last try the message stays QUEUED until
      // a status arrives, or until it becomes FAILED after 24 hours.
      kit.log.error({ err: error, message_id: stored._id }, 'send: the outcome could not be stored');
      isLater = isUnavailable(error) && result.outcome !== 'unknown';
      // The caller may have waited for an answer of the database until now, and another try would take as long.
      if (isAway(error)) break;
    }
  }
  if (isLater) void settleLater(kit, acting, call, result as KnownResult);
  return stored;
}

/** Never throws. */
async function settleLater(kit: Kit, acting: Acting, call: Call, result: KnownResult): Promise<void> {
  for (let tries = 1; tries <= AWAY_TRIES; tries += 1) {
    await sleep(AWAY_PAUSE_MS, undefined, { ref: false });
    try {
      await acting.tx((tx) => settleOne(kit, tx, call, result));
      return;
    } catch (error) {
      // Failure policy: as above.
      if (isUnavailable(error)) continue;
      return kit.log.error({ err: error, message_id: call.stored._id }, 'send: the outcome could not be stored');
    }
  }
}

/** Returns null when the message may have changed beyond this outcome, so that the caller has to read it again. */
async function settleOne(
  kit: Kit,
  tx: TenantTx,
  { channel, stored, credentials, place }: Call,
  result: KnownResult,
): Promise<Message | null> {
  const { _id: message, inbox } = stored;
  const answer = { message, result, place: place && place.reached, stored };
  const { sent, free } = await settle(kit, tx, { channel, inbox, credentials }, [answer]);
  if (place) await returnPlaces(tx, place.portfolio, free);
  return sent[0] ?? null;
}
