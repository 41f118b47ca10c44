/**
 * The loop that downloads the files of contacts. A number or a network that is slow occupies only the slots of its own company, and a
 * worker that dies loses its claims after half a minute: another one then begins the download again.
 */
import type { Kit } from '../../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import { downloadFile } from './download.ts';
import {
  claimDownloads,
  IS_WAITING,
  recordDownloads,
  renewClaims,
  requeueDue,
  restNumbers,
  type Claimed,
  type Outcome,
} from './queries.ts';

// A slot uses a connection, a temporary file and, for a moment, a slot of the inspection. Eight slots keep a network busy at little cost.
const SLOTS = 8;
const SLOTS_PER_COMPANY = 4;
// 100 MB take this long at 350 kB/s. A working network is not slower.
const DOWNLOAD_MS = 300_000;
// While many callbacks wait, a slot begins a file every two seconds at most: the network repeats callbacks that wait too long, and keeps files.
const PATIENCE_MS = 2_000;
const LEASE_SECONDS = 30;
// Requeueing so many rows takes some milliseconds.
const REQUEUED_AT_ONCE = 1_000;

export function startDownloads(kit: Kit): ClaimLoop {
  const system = kit.database.system('upkeep');

  async function act(file: Claimed, stopping: AbortSignal): Promise<Outcome> {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(DOWNLOAD_MS)]);
    await kit.precedence.waitForCalm(PATIENCE_MS, signal);
    return downloadFile(kit, file, { signal, stopping });
  }

  return startClaimLoop<Claimed, Outcome>(
    {
      name: 'downloads',
      waiting: IS_WAITING,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      // While the tenth failure of a number waits to be stored, nothing may begin that it would have stopped.
      outcomesDecide: true,
      claim: (capacity) => claimDownloads(system, capacity, LEASE_SECONDS),
      act,
      actMs: DOWNLOAD_MS,
      record: (outcomes) => kit.database.systemTx('upkeep', (tx) => record(tx, outcomes)),
      leaseSeconds: LEASE_SECONDS,
      renew: (running) => renewClaims(system, running, LEASE_SECONDS),
      sweep: () => requeue(kit, system),
    },
    kit,
  );
}

async function record(tx: SystemTx, outcomes: Outcome[]): Promise<void> {
  tx.concerns(outcomes.map(({ company }) => company));
  const settled = await recordDownloads(tx, outcomes);
  const paused = settled.filter(({ pauses }) => pauses);
  if (paused.length > 0) await restNumbers(tx, paused);
}

/** Returns files to the queue whose pause is over or whose process has died. */
async function requeue(kit: Kit, system: SystemTx): Promise<void> {
  try {
    await requeueDue(system, REQUEUED_AT_ONCE);
  } catch (error) {
    // Failure policy: the next sweep follows in five seconds.
    kit.log.warn({ err: error }, 'downloads: the files that are due could not be queued');
  }
}
