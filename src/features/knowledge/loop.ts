/** The loop that prepares knowledge items for the search. Companies take turns, so that a large item does not delay those of others. */
import { EndpointError } from '../../ai/endpoint.ts';
import type { Kit } from '../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../platform/work/claims/claim-loop.ts';
import { openLeases } from '../../platform/work/claims/leases.ts';
import { chooseEmbedder } from './embedder.ts';
import { PREPARING } from './knowledge.ts';
import { PreparationFault, prepareItem } from './prepare.ts';
import type { ItemError } from './schemas.ts';
import {
  claimItems,
  KNOWLEDGE_QUEUE,
  queueOtherModels,
  recordFailures,
  type ClaimedItem,
  type TurnOutcome,
} from './turn-queries.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// Preparing an item takes CPU time of this process, so few items are prepared at once, and one of each company.
const SLOTS = 2;
const SLOTS_PER_COMPANY = 1;
// The longest work on an item. The largest one needs some hundred calls of a model.
const TURN_MS = 120_000;
// What has failed may succeed later: it is tried again after 5 s, then after twice as long each time; the tries take about ten minutes.
const MAX_ATTEMPTS = declareLimit(8, {
  topic: 'Knowledge',
  what: 'Item: attempts to prepare it',
  beyond: 'the item becomes FAILED',
});
const FIRST_PAUSE_SECONDS = 5;

export function startPreparing(kit: Kit): ClaimLoop {
  const system = kit.database.system('upkeep');
  const { model } = chooseEmbedder(kit);
  let isModelChecked = false;
  return startClaimLoop<ClaimedItem, TurnOutcome>(
    {
      ...openLeases(system, KNOWLEDGE_QUEUE),
      name: PREPARING,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      claim: async (capacity) => {
        // Another model can only be configured while the process stands still.
        if (!isModelChecked) await queueOtherModels(system, model);
        isModelChecked = true;
        return claimItems(system, capacity);
      },
      act: (item, stopping) => takeTurn(kit, item, stopping),
      actMs: TURN_MS,
      record: async (outcomes) => {
        const failures = outcomes.filter(({ error, pause_seconds }) => error !== null || pause_seconds !== null);
        if (failures.length > 0) await recordFailures(system, failures);
      },
    },
    kit,
  );
}

/** Prepares an item. Never throws. */
async function takeTurn(kit: Kit, item: ClaimedItem, stopping: AbortSignal): Promise<TurnOutcome> {
  const { company, _id, revision, claimed_at, attempts } = item;
  const outcome = { company, _id, revision, claimed_at, pause_seconds: null, error: null };
  // Work that has killed its worker several times is not begun again.
  if (attempts > MAX_ATTEMPTS) return { ...outcome, error: GIVEN_UP };
  try {
    await prepareItem(kit, item, AbortSignal.any([stopping, AbortSignal.timeout(TURN_MS)]));
    return outcome;
  } catch (error) {
    // Failure policy: searches find the item as it was before. A fault of the text is shown at once; anything else is tried again after a
    // pause, and shown when no try has succeeded.
    if (stopping.aborted) return { ...outcome, pause_seconds: 0 };
    if (error instanceof PreparationFault) return { ...outcome, error: { code: error.code, message: error.message } };
    kit.log.warn({ err: error, item: _id }, 'knowledge: an item could not be prepared');
    if (attempts < MAX_ATTEMPTS) return { ...outcome, pause_seconds: FIRST_PAUSE_SECONDS * 2 ** (attempts - 1) };
    const isModel = error instanceof EndpointError;
    return { ...outcome, error: isModel ? { code: 'EMBEDDING_FAILED', message: error.message } : GIVEN_UP };
  }
}

const GIVEN_UP: ItemError = { code: 'GIVEN_UP', message: 'The item could not be processed after several attempts.' };
