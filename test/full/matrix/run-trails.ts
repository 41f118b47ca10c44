/** Each operation of openapi.json for everybody who may and may not ask: what it leaves in the audit, and what a repeat of it does. */
import assert from 'node:assert/strict';
import { openPlatform } from '../../support/platform.ts';
import { reportProgress } from '../../support/progress.ts';
import { silenceNetwork } from '../../support/traffic.ts';
import type { Account } from './asking.ts';
import { createCallers, kinds } from './callers.ts';
import { createSide } from './companies.ts';
import { readOperations } from './document.ts';
import { proveRepeats } from './repeats.ts';
import { proveTrails } from './trails.ts';

export interface TrailsSize {
  /** Companies whose callers do everything. */
  companies: number;
  /** Else one of each kind of caller repeats what it asked. */
  everybody: boolean;
}

// More would only repeat what the first ones say.
const SHOWN_FAULTS = 5;

/** By promise: how many requests, and what broke it. */
export async function runTrails({ companies, everybody }: TrailsSize): Promise<{ audit: Account; repeats: Account }> {
  const { platform, close } = await openPlatform({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  const accounts: { audit: Account; repeats: Account } = {
    audit: { asked: 0, faults: [] },
    repeats: { asked: 0, faults: [] },
  };
  try {
    await silenceNetwork(platform);
    const operations = readOperations((await platform.call(200, 'GET', '/openapi.json', { key: null })).body);
    for (let left = companies; left > 0; left -= 1) {
      reportProgress(`${left} companies are left`);
      const pair = { platform, own: await createSide(platform), other: await createSide(platform) };
      const callers = await createCallers(platform, pair.own, pair.other);
      for (const operation of operations) {
        await proveTrails(pair, callers, operation, accounts.audit);
        await proveRepeats(pair, everybody ? callers : kinds(callers), operation, accounts.repeats);
      }
    }
    return accounts;
  } finally {
    await close();
  }
}

/** The figures by name; throws what broke. */
export async function proveAllTrails(size: TrailsSize): Promise<Record<string, number>> {
  const { audit, repeats } = await runTrails(size);
  const faults = [...audit.faults, ...repeats.faults];
  assert.deepEqual(faults.slice(0, SHOWN_FAULTS), [], `${faults.length} faults`);
  return { 'requests for the audit': audit.asked, 'requests with a key': repeats.asked };
}
