/**
 * The loop that pushes notifications to browsers. Push services are foreign servers: their addresses come from users, so they are called like
 * webhooks, and one that hangs occupies only the slots of its own company.
 */
import type { Kit } from '../../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import { openLeases } from '../../../platform/work/claims/leases.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import { openPushKeys } from './keys.ts';
import { makePush } from './message.ts';
import { claimPushes, findDuePush, PUSH_QUEUE, recordPushes } from './queue-queries.ts';
import type { ClaimedPush, PushOutcome } from './schemas.ts';

const SLOTS = 16;
const SLOTS_PER_COMPANY = 4;
const CALL_MS = declareLimit(10_000, {
  topic: 'Networks',
  what: 'Push to a browser',
  unit: 'ms',
  beyond: 'tried again',
});
/** Of what a push service answers, only the status matters. */
const MAX_BYTES = 4_096;
// Tried again after 30 s, then after twice as long each time: eight minutes in all. After that the notification is old.
const MAX_ATTEMPTS = declareLimit(5, {
  topic: 'Networks',
  what: 'Push to a browser: attempts',
  beyond: 'the notification is not pushed to it',
});
const FIRST_PAUSE_SECONDS = 30;
/** The push service has forgotten the browser, for example because its user has withdrawn the permission (RFC 8030). */
const GONE = [404, 410];

export function startPushes(kit: Kit): ClaimLoop {
  const system = kit.database.system('upkeep');
  const readKeys = openPushKeys(kit);
  return startClaimLoop<ClaimedPush, PushOutcome>(
    {
      ...openLeases<ClaimedPush>(system, PUSH_QUEUE),
      name: 'pushes',
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      claim: (capacity) => claimPushes(system, capacity),
      act: (push, stopping) => pushOnce(kit, push, readKeys, stopping),
      actMs: CALL_MS,
      record: (outcomes) => recordPushes(system, outcomes),
    },
    kit,
  );
}

/** Pushes once. Never throws. */
async function pushOnce(
  kit: Kit,
  push: ClaimedPush,
  readKeys: ReturnType<typeof openPushKeys>,
  stopping: AbortSignal,
): Promise<PushOutcome> {
  const { company, _id, claimed_at, subscription, attempts } = push;
  const end = (state: PushOutcome['state'], pause_seconds: number | null = null): PushOutcome => ({
    company,
    _id,
    claimed_at,
    subscription,
    state,
    pause_seconds,
  });
  if (attempts > MAX_ATTEMPTS) return end('OBSOLETE');
  try {
    const due = await findDuePush(kit.database.system(`company:${company}`), push);
    if (!due) return end('OBSOLETE');
    const request = await makePush(kit, due, await readKeys());
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(CALL_MS)]);
    const { status } = await kit.outbound.tenant({ ...request, signal, maxBytes: MAX_BYTES });
    if (GONE.includes(status)) return end('GONE');
    if (status >= 200 && status < 300) return end('SENT');
    kit.log.info({ company, subscription, status }, 'pushes: a push service has refused a notification');
  } catch (error) {
    // Failure policy: the notification is in the list of the bell in any case; pushing it is tried a few times.
    kit.log.info({ err: error, company, subscription }, 'pushes: a notification could not be pushed');
  }
  return attempts < MAX_ATTEMPTS ? end('LATER', FIRST_PAUSE_SECONDS * 2 ** (attempts - 1)) : end('OBSOLETE');
}
