/**
 * What a worker claimed ahead of its slots: who it is, what of it has begun, and what goes back into the queue. A delivery that was
 * claimed ahead begins only after its worker has said so here; whoever judges the claims of a worker closes it first, so that it begins
 * nothing any more. Both change the same row, one after the other.
 */
import { exec, one } from '../../platform/db.ts';
import type { SystemTx } from '../../platform/tenant.ts';

/** A name is used once: what was claimed under one that a crash made the database forget is never taken for somebody else's. */
export function insertWorker(tx: SystemTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'webhooks.insertWorker',
    text: 'insert into delivery_workers (_id) values ($1)',
    values: [id],
  });
}

export interface Held {
  company: string;
  _id: string;
  seq: string;
  /** Which version of the webhook the claim has read. */
  edition: string;
}

export interface Beginning {
  worker: string;
  /** Higher than in every call before. */
  turn: number;
  /** All that the worker has begun or is about to begin, and whose outcome is not written. */
  begun: string[];
  /** What it is about to begin. */
  held: Held[];
}

/**
 * Says what a worker is about to begin. Answers the seq of each that may: not one whose webhook has changed since the claim, or whose company
 * is suspended. Null when the worker was closed or forgotten: then it may begin nothing. It does not look at the deliveries themselves:
 * whoever reads a page of theirs tidies it up, which is logged, and the commit would wait for the disk.
 */
export async function beginHeld(tx: SystemTx, { worker, turn, begun, held }: Beginning): Promise<string[] | null> {
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
 * Back into the queue, unsent. Asked once for each claim: one that arrives late then finds either its own claim or nothing, never a
 * later claim of the same worker, which may have begun.
 */
export function giveBack(tx: SystemTx, worker: string, held: Held[]): Promise<number> {
  return exec(tx, {
    name: 'webhooks.giveBack',
    text: `update deliveries d set status = 'QUEUED', claimed_at = null, attempted_at = null, claimed_by = null
      from unnest($2::text[], $3::text[]) as h (company_id, _id)
      where d.company_id = h.company_id and d._id = h._id and d.claimed_by = $1 and d.status = 'SENDING'`,
    values: [worker, held.map((delivery) => delivery.company), held.map((delivery) => delivery._id)],
  });
}

/** They begin nothing any more of what they hold, and give it back. */
export function closeWorkers(tx: SystemTx, ids: string[]): Promise<number> {
  return exec(tx, {
    name: 'webhooks.closeWorkers',
    text: 'update delivery_workers set closed_at = coalesce(closed_at, now()) where _id = any($1)',
    values: [ids],
  });
}

/** Workers that said nothing for a day: those that are gone leave their row behind, and one that lives takes a new name. */
export function deleteSilentWorkers(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'webhooks.deleteSilentWorkers',
    text: `delete from delivery_workers where seen_at < now() - interval '1 day'`,
    values: [],
  });
}
