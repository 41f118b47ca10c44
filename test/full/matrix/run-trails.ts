/** Runs each operation of openapi.json with all callers, and checks the audit entries that it writes and the effect of a repetition. */
import assert from 'node:assert/strict';
import { openModel, say, sendJson } from '../../support/model.ts';
import { openPlatform } from '../../support/platform.ts';
import { reportProgress } from '../../support/progress.ts';
import { silenceNetwork } from '../../support/traffic.ts';
import type { Findings } from './asking.ts';
import { createCallers, keepOneInTurn, keepOneOfEachKind } from './callers.ts';
import { createFullCompany } from './companies.ts';
import { chooseInDepth } from './depth.ts';
import { readOperations } from './document.ts';
import { checkRepeats } from './repeats.ts';
import { checkAuditLines } from './trails.ts';

export interface TrailsSize {
  /** The number of companies whose callers try every operation. */
  companies: number;
  /** True when every caller tries every operation; otherwise two callers do, others each time, except for operations tried in depth. */
  everybody: boolean;
  /** One in so many operations is tried in depth, with all callers. */
  drawn?: number;
  /** The seed of the random choice of operations to try in depth, beside those that this branch has changed. */
  seed?: number;
}

// The most faults that are shown, because more would only repeat the first ones.
const SHOWN_FAULTS = 5;

/** Returns for each promise the number of requests and the faults. */
export async function runTrails({
  companies,
  everybody,
  drawn = 8,
  seed = 0,
}: TrailsSize): Promise<{ audit: Findings; repeats: Findings }> {
  const model = await openModel((_call, response) => sendJson(response, say('Hello')));
  const { platform, close } = await openPlatform({ env: { AI_BASE_URL: model.url, AI_MODEL: 'small' } });
  const accounts: { audit: Findings; repeats: Findings } = {
    audit: { asked: 0, faults: [] },
    repeats: { asked: 0, faults: [] },
  };
  try {
    await silenceNetwork(platform);
    const operations = readOperations((await platform.call(200, 'GET', '/openapi.json', { key: null })).body);
    const inDepth = everybody ? operations : chooseInDepth(operations, drawn, seed);
    for (let left = companies; left > 0; left -= 1) {
      reportProgress(`${left} companies are left`);
      const pair = { platform, own: await createFullCompany(platform), other: await createFullCompany(platform) };
      const callers = await createCallers(platform, pair.own, pair.other);
      const few = keepOneInTurn(keepOneOfEachKind(callers));
      for (const operation of operations) {
        await checkAuditLines(pair, inDepth.includes(operation) ? callers : few, operation, accounts.audit);
        await checkRepeats(pair, everybody ? callers : few, operation, accounts.repeats);
      }
    }
    return accounts;
  } finally {
    await close();
    model.close();
  }
}

/** Returns the figures by name; throws when a promise is broken. */
export async function proveAllTrails(size: TrailsSize): Promise<Record<string, number>> {
  const { audit, repeats } = await runTrails(size);
  const faults = [...audit.faults, ...repeats.faults];
  assert.deepEqual(faults.slice(0, SHOWN_FAULTS), [], `${faults.length} faults`);
  return { 'requests for the audit': audit.asked, 'requests with a key': repeats.asked };
}
