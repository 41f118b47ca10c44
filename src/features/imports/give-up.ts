/** Ends imports that no worker could finish: the store was away, or their worker died each time. */
import type { Kit } from '../../kit.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { endImport, listForgottenImports } from './queries.ts';

const PORTION = 100;
const CAUSE = { code: 'UNAVAILABLE', message: 'It could not be processed for a day; what was already stored is kept' };

/** Ends imports without progress for a day, and deletes their sheets. */
export async function endForgottenImports(kit: Kit): Promise<void> {
  await workInPortions(async () => {
    const forgotten = await listForgottenImports(kit.database.system('upkeep'), PORTION);
    for (const { company, _id } of forgotten) await kit.database.tenantTx(company, (tx) => endImport(tx, _id, CAUSE));
    return forgotten.length;
  });
}
