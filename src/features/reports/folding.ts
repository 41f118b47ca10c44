/** Adds the facts that triggers have written to the counters of reports, in the background. */
import type { Kit } from '../../kit.ts';
import { createPortionedUpkeep, type UpkeepTask } from '../../platform/work/due-work.ts';
import { findNextCompany, foldFacts, HAS_FACTS, tryLockFacts } from './fold-queries.ts';

// Reports also read the facts that wait, so this only bounds how many there are.
const LOOK_EVERY_MS = 2_000;
// The most facts of one transaction, each of which changes some twenty counters.
const PORTION = 1_000;

/** Companies get a portion in turn, also after one whose facts could not be folded. */
export function createReportUpkeep(kit: Kit): UpkeepTask {
  let last = '';
  const work = async (): Promise<boolean> => {
    const next = await findNextCompany(kit.database.system('upkeep'), last);
    last = next?.company ?? '';
    if (next) await foldPortion(kit, next.company);
    return next !== null;
  };
  return createPortionedUpkeep(kit, {
    due: HAS_FACTS,
    everyMs: LOOK_EVERY_MS,
    failure: 'reports: facts wait to be counted',
    work,
  });
}

/** Folds facts of a company, unless another process does. Facts and counters change in one transaction, so each fact counts once. */
export function foldPortion(kit: Pick<Kit, 'database'>, company: string): Promise<number> {
  return kit.database.systemTx('upkeep', async (tx) =>
    (await tryLockFacts(tx, company)) ? foldFacts(tx, company, PORTION) : 0,
  );
}
