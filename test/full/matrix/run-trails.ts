/** Runs each operation of openapi.json with all callers, and checks the lines that it writes into the audit and what a repetition does. */
import assert from 'node:assert/strict';
import { openPlatform } from '../../support/platform.ts';
import { reportProgress } from '../../support/progress.ts';
import { silenceNetwork } from '../../support/traffic.ts';
import type { Account } from './asking.ts';
import { createCallers, oneOfEachKind } from './callers.ts';
import { createSide } from './companies.ts';
import { chooseInDepth } from './depth.ts';
import { readOperations } from './document.ts';
import { proveRepeats } from './repeats.ts';
import { proveTrails } from './trails.ts';

export interface TrailsSize {
  /** The number of companies whose callers try everything. */
  companies: number;
  /** Whether every caller tries every operation; otherwise one caller of each kind does, except for operations tried in depth. */
  everybody: boolean;
  /** Draws operations to try in depth, beside those that this branch has changed. */
  seed?: number;
}

// The most faults to show: more would only repeat the first ones.
const SHOWN_FAULTS = 5;

/** For each promise, the number of requests and the faults. */
export async function runTrails({
  companies,
  everybody,
  seed = 0,
}: TrailsSize): Promise<{ audit: Account; repeats: Account }> {
  const { platform, close } = await openPlatform({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  const accounts: { audit: Account; repeats: Account } = {
    audit: { asked: 0, faults: [] },
    repeats: { asked: 0, faults: [] },
  };
  try {
    await silenceNetwork(platform);
    const operations = readOperations((await platform.call(200, 'GET', '/openapi.json', { key: null })).body);
    const inDepth = everybody ? operations : chooseInDepth(operations, seed);
    for (let left = companies; left > 0; left -= 1) {
      reportProgress(`${left} companies are left`);
      const pair = { platform, own: await createSide(platform), other: await createSide(platform) };
      const callers = await createCallers(platform, pair.own, pair.other);
      const few = oneOfEachKind(callers);
      for (const operation of operations) {
        await proveTrails(pair, inDepth.includes(operation) ? callers : few, operation, accounts.audit);
        await proveRepeats(pair, everybody ? callers : few, operation, accounts.repeats);
      }
    }
    return accounts;
  } finally {
    await close();
  }
}

/** Returns the figures by name; throws when a promise is broken. */
export async function proveAllTrails(size: TrailsSize): Promise<Record<string, number>> {
  const { audit, repeats } = await runTrails(size);
  const faults = [...audit.faults, ...repeats.faults];
  assert.deepEqual(faults.slice(0, SHOWN_FAULTS), [], `${faults.length} faults`);
  return { 'requests for the audit': audit.asked, 'requests with a key': repeats.asked };
}
