/** The loop that works on imports. Companies take turns; a process works on one import of a company at a time. */
import type { Kit } from '../../kit.ts';
import { ChildEnded } from '../../platform/work/child.ts';
import { startClaimLoop, type ClaimLoop } from '../../platform/work/claims/claim-loop.ts';
import { openLeases, recordTurns, type TurnOutcome } from '../../platform/work/claims/leases.ts';
import { IMPORTS } from './imports.ts';
import { endImport } from './queries.ts';
import type { ImportKind } from './schemas.ts';
import { claimImports, IMPORT_QUEUE, isAnotherWaiting, type ClaimedImport } from './turn-queries.ts';
import { workOnImport, type RowImporter } from './work.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// Each import has a child process that holds parts of its sheet in memory; two children read at a time (platform/work/child-readers.ts).
const SLOTS = 4;
const SLOTS_PER_COMPANY = declareLimit(1, {
  topic: 'Contacts',
  what: 'Imports that run at the same time, per company and process',
  beyond: 'the next one waits',
});
// After this time an import gives its place to one of another company that waits.
const TURN_MS = 5_000;
// A stop waits for the portion that is being stored.
const LAST_MS = 15_000;
// The number of attempts without progress after which an import fails, because it would crash its worker again.
const MAX_ATTEMPTS = 2;
// The pause before the next attempt, because a database or a child process that has just failed would fail again at once.
const PAUSE_SECONDS = 5;
const CRASHED = {
  code: 'IMPORT_CRASHED',
  message: 'The sheet crashed the process that read it twice; what was already stored is kept',
};

export type RowImporters = Record<ImportKind, RowImporter>;

export function startImports(kit: Kit, importers: RowImporters): ClaimLoop {
  const system = kit.database.system('upkeep');
  let busy = 0;
  return startClaimLoop<ClaimedImport, TurnOutcome>(
    {
      ...openLeases<ClaimedImport>(system, IMPORT_QUEUE),
      name: IMPORTS,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      claim: (capacity) => claimImports(system, capacity),
      act: async (claimed, stopping) => {
        busy += 1;
        const end = await takeTurn(kit, claimed, {
          importer: importers[claimed.kind],
          signal: stopping,
          isOver: createTurnCheck(async () => busy >= SLOTS && isAnotherWaiting(system, claimed.company), stopping),
        });
        busy -= 1;
        return end;
      },
      actMs: LAST_MS,
      record: async (outcomes) => {
        await recordTurns(system, IMPORT_QUEUE, outcomes);
        system.wakes(IMPORTS);
      },
    },
    kit,
  );
}

/** Works on an import for one turn. Never throws. */
async function takeTurn(
  kit: Kit,
  { company, _id, claimed_at, attempts }: ClaimedImport,
  session: Parameters<typeof workOnImport>[2],
): Promise<TurnOutcome> {
  const outcome = { company, _id, claimed_at, pause_seconds: null, is_failure: false };
  try {
    if (attempts > MAX_ATTEMPTS) await kit.database.tenantTx(company, (tx) => endImport(tx, _id, CRASHED));
    else await workOnImport(kit, { company, import: _id }, session);
    return outcome;
  } catch (error) {
    if (session.signal.aborted) return outcome;
    // Failure policy: the import is tried again after a pause; only a crash of the child or of this process counts as an attempt.
    kit.log.warn({ err: error, import: _id }, 'imports: interrupted');
    return { ...outcome, pause_seconds: PAUSE_SECONDS, is_failure: error instanceof ChildEnded };
  }
}

/**
 * Returns a function that is called after each portion. It returns true when the worker has to stop, or when another import needs the
 * place. A turn lasts at least as long as it took to survey the sheet, because the next turn has to do that again.
 */
function createTurnCheck(isPlaceNeeded: () => Promise<boolean>, stopping: AbortSignal): () => Promise<boolean> {
  const startedMs = performance.now();
  let untilMs: number | null = null;
  return async () => {
    const nowMs = performance.now();
    untilMs ??= nowMs + Math.max(TURN_MS, nowMs - startedMs);
    if (stopping.aborted) return true;
    return nowMs > untilMs && isPlaceNeeded();
  };
}
