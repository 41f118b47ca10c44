/**
 * Statements about the deliveries that a worker has claimed ahead of its free slots: registering the worker, noting which deliveries it
 * begins, and returning the others to the queue. A worker sends such a delivery only after the database has noted that it begins. A process
 * that judges another worker's claims closes that worker first, so that the worker can begin nothing more. Both update the same row, so one
 * waits for the other.
 */
import type { BeginRequest } from '../../platform/claims/queue.ts';
import { exec, one } from '../../platform/db.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import type { ClaimedDelivery } from './delivery-queries.ts';

/**
 * Registers a worker. Each id is used once: a crash can make the database forget a worker, and its claims must not pass for those of a new
 * one.
 */
export function insertWorker(tx: SystemTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'webhooks.insertWorker',
    text: 'insert into delivery_workers (_id) values ($1)',
    values: [id],
  });
}

export type HeldDelivery = Pick<ClaimedDelivery, 'company' | '_id' | 'seq' | 'edition'>;

/**
 * Notes which deliveries a worker is about to begin, and returns the seq of each that may begin: its webhook has not changed since the
 * claim, and its company is not suspended. Returns null when the worker was closed or deleted; then nothing may begin. The statement does
 * not read the deliveries themselves: reading a page of them prunes it, which is logged, and the commit would wait for the disk.
 */
export async function beginHeldDeliveries(
  tx: SystemTx,
  { worker, turn, begun, held }: BeginRequest<HeldDelivery>,
): Promise<string[] | null> {
  const { known, valid } = await one<{ known: boolean; valid: string[] }>(tx, {
    name: 'webhooks.beginHeld',
    text: `with noted as (
        update delivery_workers set turn = $2, begun = $3, seen_at = now()
        where _id = $1 and turn < $2 and closed_at is null returning 1
      )
      select exists (select from noted) as known, array(
        select h.seq from unnest($4::text[], $5::text[], $6::text[]) as h (company_id, seq, edition)
        join webhooks w on w.company_id = h.company_id and w.xmin::text = h.edition
        join companies c on c._id = h.company_id and c.status = 'ACTIVE'
      ) as valid`,
    values: [
      worker,
      turn,
      begun,
      held.map((delivery) => delivery.company),
      held.map((delivery) => delivery.seq),
      held.map((delivery) => delivery.edition),
    ],
  });
  return known ? valid : null;
}

/**
 * Returns deliveries to the queue, unsent. It must be called once only for each claim: a call that arrives late then finds either its own
 * claim or nothing, and never a later claim of the same worker, whose attempt may have begun.
 */
export function returnToQueue(tx: SystemTx, worker: string, held: HeldDelivery[]): Promise<number> {
  return exec(tx, {
    name: 'webhooks.giveBack',
    text: `update deliveries d set status = 'QUEUED', claimed_at = null, attempted_at = null, claimed_by = null
      from unnest($2::text[], $3::text[]) as h (company_id, _id)
      where d.company_id = h.company_id and d._id = h._id and d.claimed_by = $1 and d.status = 'SENDING'`,
    values: [worker, held.map((delivery) => delivery.company), held.map((delivery) => delivery._id)],
  });
}

/** Closes workers, so that none of them begins any more of the deliveries that it holds; each returns them to the queue. */
export function closeWorkers(tx: SystemTx, ids: string[]): Promise<number> {
  return exec(tx, {
    name: 'webhooks.closeWorkers',
    text: 'update delivery_workers set closed_at = coalesce(closed_at, now()) where _id = any($1)',
    values: [ids],
  });
}

/** Deletes workers that were not seen for a day: a stopped worker leaves its row behind, and a living one registers under a new id. */
export function deleteSilentWorkers(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'webhooks.deleteSilentWorkers',
    text: `delete from delivery_workers where seen_at < now() - interval '1 day'`,
    values: [],
  });
}
