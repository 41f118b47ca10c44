/**
 * The loop that processes imports. It takes the companies in turn, one import of each company at a time over all processes, and as many
 * imports at once as this process has room for.
 */
import type { Kit } from '../../kit.ts';
import { ChildEnded } from '../../platform/child.ts';
import { newId } from '../../platform/ids.ts';
import { lookOneAtATime, type DueWork, type SingleLooks } from '../../platform/due-work.ts';
import { endImport } from './queries.ts';
import type { ImportKind } from './schemas.ts';
import {
  claimImport,
  endCompanyTurn,
  renewImportClaims,
  IS_WAITING,
  isSomebodyWaiting,
  lockImportTurns,
  releaseImport,
  type ClaimedImport,
} from './turn-queries.ts';
import { workOnImport, type RowImporter } from './work.ts';

// Each import has a child process that holds parts of its sheet in memory; two children read at a time (platform/child-readers.ts).
const MAX_AT_ONCE = 4;
// Claims are renewed several times within the 20 seconds after which a process counts as dead.
const HOLD_MS = 5_000;
// After this time an import gives its place to one that is waiting.
const TURN_MS = 5_000;
// The number of attempts without progress after which an import fails, because it would crash its worker again.
const MAX_ATTEMPTS = 2;
// The pause before the next attempt, because a database or a child process that has just failed would fail again at once.
const PAUSE_SECONDS = 5;
const CRASHED = {
  code: 'IMPORT_CRASHED',
  message: 'The sheet ended the process that read it, twice; what was stored stays',
};

interface ImportLoop {
  kit: Kit;
  importers: Record<ImportKind, RowImporter>;
  /** The id of this process in the claims. */
  holder: string;
  running: Map<ClaimedImport, Promise<void>>;
  stopping: AbortController;
  claims: SingleLooks;
}

export interface ImportLoopHandle {
  dueWork: DueWork;
  /** Stops after the current portion of each running import. */
  stop(): Promise<void>;
}

export function startImports(kit: Kit, importers: Record<ImportKind, RowImporter>): ImportLoopHandle {
  const loop: ImportLoop = {
    kit,
    importers,
    holder: newId(),
    running: new Map(),
    stopping: new AbortController(),
    claims: lookOneAtATime(() => claimFreeImports(loop)),
  };
  const hold = setInterval(() => void renewClaims(loop), HOLD_MS);
  return {
    dueWork: { due: IS_WAITING, begin: loop.claims.begin },
    stop: async () => {
      loop.stopping.abort();
      await loop.claims.stop();
      await Promise.all(loop.running.values());
      clearInterval(hold);
    },
  };
}

async function claimFreeImports(loop: ImportLoop): Promise<void> {
  const { kit, running, stopping } = loop;
  try {
    const isSomebodyThere = (): Promise<boolean> => isSomebodyWaiting(kit.database.system('upkeep'));
    while (running.size < MAX_AT_ONCE && !stopping.signal.aborted && (await isSomebodyThere())) {
      const claimed = await kit.database.systemTx('upkeep', async (tx) => {
        await lockImportTurns(tx);
        return claimImport(tx, loop.holder);
      });
      if (!claimed) break;
      const work = runClaimedImport(loop, claimed).finally(() => {
        running.delete(claimed);
        loop.claims.begin();
      });
      running.set(claimed, work);
    }
  } catch (error) {
    // Failure policy: this process works on nothing new; an import that was claimed all the same is free again after 20 seconds.
    kit.log.warn({ err: error }, 'imports: claiming failed');
  }
}

async function renewClaims({ kit, holder, running }: ImportLoop): Promise<void> {
  if (running.size === 0) return;
  try {
    await renewImportClaims(kit.database.system('upkeep'), holder);
  } catch (error) {
    // Failure policy: the claims are renewed again in five seconds. If another process takes an import over, its portions from here are
    // refused.
    kit.log.warn({ err: error }, 'imports: could not say that they are worked on');
  }
}

/** Processes a claimed import for one turn; errors are logged and never thrown. */
async function runClaimedImport(loop: ImportLoop, claimed: ClaimedImport): Promise<void> {
  const { kit, holder, stopping } = loop;
  const { company, _id, attempts } = claimed;
  const release = { company, _id, holder, pauseSeconds: 0, isOrderly: true };
  try {
    if (attempts > MAX_ATTEMPTS) await kit.database.tenantTx(company, (tx) => endImport(tx, _id, CRASHED));
    else {
      const isOver = createTurnCheck(loop);
      await workOnImport(
        kit,
        { company, import: _id },
        { importer: loop.importers[claimed.kind], signal: stopping.signal, isOver },
      );
    }
  } catch (error) {
    // Failure policy: the import is tried again after a pause; only a crash of the child or of this process counts as an attempt.
    if (!stopping.signal.aborted) {
      kit.log.warn({ err: error, import: _id }, 'imports: interrupted');
      Object.assign(release, { pauseSeconds: PAUSE_SECONDS, isOrderly: !(error instanceof ChildEnded) });
    }
  }
  try {
    await releaseImport(kit.database.system('upkeep'), release);
    await endCompanyTurn(kit.database.system('upkeep'), company);
  } catch (error) {
    // Failure policy: the claim is no longer renewed, so the import is free after 20 seconds.
    kit.log.warn({ err: error, import: _id }, 'imports: could not be given back');
  }
}

/**
 * Returns a function that is called after each portion. It returns true when the worker has to stop, or when another import waits and this
 * process has no room. A turn lasts at least as long as it took to survey the sheet, because the next turn has to do that again.
 */
function createTurnCheck({ kit, running, stopping }: ImportLoop): () => Promise<boolean> {
  const startedMs = performance.now();
  let untilMs: number | null = null;
  return async () => {
    const nowMs = performance.now();
    untilMs ??= nowMs + Math.max(TURN_MS, nowMs - startedMs);
    if (stopping.signal.aborted) return true;
    return running.size >= MAX_AT_ONCE && nowMs > untilMs && isSomebodyWaiting(kit.database.system('upkeep'));
  };
}
