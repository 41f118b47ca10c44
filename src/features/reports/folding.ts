/** Adds the facts that triggers have written to the counters of reports, in the background. */
import type { Kit } from '../../kit.ts';
import { createPortionedUpkeep, type UpkeepTask } from '../../platform/work/due-work.ts';
import { findNextCompany, foldFacts, HAS_FACTS, tryLockFacts } from './fold-queries.ts';

// Reports also read the facts that wait, so this only bounds how many there are.
const LOOK_EVERY_MS = 2_000;
// The most facts of one transaction, each of which changes some twenty counters.
const PORTION = 1_000;

export function createReportUpkeep(kit: Kit): UpkeepTask {
  const system = kit.database.system('upkeep');
  return createPortionedUpkeep(kit, {
    due: HAS_FACTS,
    everyMs: LOOK_EVERY_MS,
    failure: 'reports: facts wait to be counted',
    work: takeTurns(
      async (last) => (await findNextCompany(system, last))?.company ?? null,
      async (company) => (await foldPortion(kit, company)) === PORTION,
    ),
  });
}

/**
 * Returns work that handles a portion of the next company, also after one whose portion failed. It returns false after a round in which
 * no portion was full.
 */
export function takeTurns(
  findNext: (last: string) => Promise<string | null>,
  isFull: (company: string) => Promise<boolean>,
): () => Promise<boolean> {
  let last = '';
  let isMoreLeft = false;
  return async () => {
    const company = await findNext(last);
    last = company ?? '';
    if (company === null) {
      const goesOn = isMoreLeft;
      isMoreLeft = false;
      return goesOn;
    }
    if (await isFull(company)) isMoreLeft = true;
    return true;
  };
}

/** Folds facts of a company, unless another process does. Facts and counters change in one transaction, so each fact counts once. */
export function foldPortion(kit: Pick<Kit, 'database'>, company: string): Promise<number> {
  return kit.database.systemTx('upkeep', async (tx) =>
    (await tryLockFacts(tx, company)) ? foldFacts(tx, company, PORTION) : 0,
  );
}
