/**
 * The delivering loop: claims as many deliveries as it has free slots, a few per company, attempts each once, and records
 * what became of them. A receiver that hangs costs its own company its own slots, for ten seconds each.
 */
import type { Kit } from '../../kit.ts';
import { onQueued } from '../../platform/events.ts';
import { ATTEMPT_MS, attemptDelivery } from './attempt.ts';
import { claimDeliveries, recordOutcomes, sweepInterrupted, type Claimed, type Outcome } from './delivery-queries.ts';
import { openHeaders, type Headers } from './headers.ts';

// Another process may have queued something: nobody waits longer than this for a loop that sleeps.
const POLL_MS = 200;
// An attempt lasts 10 s at most; 5 s more for its outcome to be written.
const LEASE_SECONDS = ATTEMPT_MS / 1000 + 5;
const SWEEP_MS = 5_000;
// Outcomes that could not be written yet (the database is away): no new attempts beyond this many.
const MAX_UNRECORDED = 1_000;
const RETRY_MS = 500;

export interface Deliverer {
  /** Claims nothing more, waits for what is in flight and records it. */
  stop(): Promise<void>;
}

export function startDeliveries(kit: Kit): Deliverer {
  const { DELIVERY_SLOTS: slots, DELIVERY_SLOTS_PER_COMPANY: perCompany, WEBHOOK_MAX_AGE: maxAgeMs } = kit.config;
  const inFlight = new Map<string, number>();
  const unrecorded: Outcome[] = [];
  const openCached = headerCache(kit);
  let busy = 0;
  let after = '';
  let claiming = false;
  let again = false;
  let recording = false;
  let stopping = false;
  let idle: (() => void) | null = null;

  const settled = (): boolean => busy === 0 && unrecorded.length === 0 && !claiming && !recording;

  /** Claims until nothing is waiting or no slot is free. */
  async function pump(): Promise<void> {
    again = claiming;
    if (claiming || stopping) return;
    claiming = true;
    try {
      while (!stopping && busy < slots && unrecorded.length < MAX_UNRECORDED) {
        const { claimed, dismissed } = await claimDeliveries(kit.database.system, {
          slots: slots - busy,
          perCompany,
          inFlight,
          after,
          maxAgeMs,
        });
        if (dismissed > 0) kit.metrics.deliveries.inc({ status: 'FAILED' }, dismissed);
        for (const delivery of claimed) void run(delivery);
        after = lastInTurn(claimed, after);
        if (claimed.length + dismissed === 0) break;
      }
    } catch (error) {
      // Failure policy: nothing was claimed, so nothing is lost; the next poll tries again.
      kit.log.warn({ err: error }, 'deliveries: claiming failed');
    } finally {
      claiming = false;
      rest();
    }
    // Somebody queued while the last claim was looking elsewhere.
    if (again) await pump();
  }

  async function run(delivery: Claimed): Promise<void> {
    occupy(delivery.company, 1);
    kit.metrics.queueAgeSeconds.set(delivery.age);
    const outcome = await attemptDelivery(kit, delivery, openCached);
    occupy(delivery.company, -1);
    kit.metrics.deliveries.inc({ status: outcome.status });
    unrecorded.push(outcome);
    setImmediate(() => void record());
    setImmediate(() => void pump());
  }

  function occupy(company: string, change: 1 | -1): void {
    busy += change;
    const count = (inFlight.get(company) ?? 0) + change;
    if (count > 0) inFlight.set(company, count);
    else inFlight.delete(company);
    kit.metrics.deliverySlots.set(busy);
  }

  /** Writes outcomes in batches; what can not be written now is kept and tried again. */
  async function record(): Promise<void> {
    if (recording) return;
    recording = true;
    while (unrecorded.length > 0) {
      const batch = unrecorded.slice();
      try {
        await recordOutcomes(kit.database.system, batch);
        unrecorded.splice(0, batch.length);
      } catch (error) {
        // Failure policy: the attempts were made; losing their outcomes would only make them UNKNOWN. Keep trying.
        kit.log.warn({ err: error, outcomes: batch.length }, 'deliveries: outcomes wait to be written');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    recording = false;
    rest();
  }

  function rest(): void {
    if (settled()) idle?.();
  }

  const poll = setInterval(() => void pump(), POLL_MS);
  const sweeper = setInterval(() => void sweep(kit), SWEEP_MS);
  const silence = onQueued(() => void pump());
  void sweep(kit);
  void pump();

  return {
    stop: async () => {
      stopping = true;
      silence();
      clearInterval(poll);
      clearInterval(sweeper);
      if (!settled()) await new Promise<void>((resolve) => (idle = resolve));
    },
  };
}

/** The round goes by company id and begins anew after the last one. */
function lastInTurn(claimed: Claimed[], after: string): string {
  const companies = claimed.map((delivery) => delivery.company).sort();
  return companies.findLast((company) => company <= after) ?? companies.at(-1) ?? '';
}

async function sweep(kit: Kit): Promise<void> {
  try {
    const swept = await sweepInterrupted(kit.database.system, LEASE_SECONDS);
    if (swept === 0) return;
    kit.metrics.deliveries.inc({ status: 'UNKNOWN' }, swept);
    kit.log.warn({ deliveries: swept }, 'deliveries: interrupted attempts are UNKNOWN and will not be repeated');
  } catch (error) {
    // Failure policy: the mark did not move, so the next sweep looks at the same time again.
    kit.log.warn({ err: error }, 'deliveries: the sweep failed');
  }
}

// More webhooks than this in one process's flight are opened again; opening takes microseconds.
const CACHED_HEADERS = 1_000;

/** Headers by their sealed text: what changes is sealed anew, so nothing here can be out of date. */
function headerCache(kit: Kit): (delivery: Claimed) => Headers {
  const opened = new Map<string, Headers>();
  return ({ company, custom_headers }) => {
    const hit = opened.get(custom_headers);
    if (hit) return hit;
    if (opened.size >= CACHED_HEADERS) opened.clear();
    const headers = openHeaders(kit.secrets, company, custom_headers);
    opened.set(custom_headers, headers);
    return headers;
  };
}
