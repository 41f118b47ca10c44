/** Queries for the choices of people that networks report. */
import { many } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

/** Stores the newest opt-outs and returns the contacts whose `opted_out` really changed. */
export function setOptOuts(
  tx: SystemTx,
  wishes: { company: string; contact: string; optedOut: boolean; at: string }[],
): Promise<{ company: string; _id: string }[]> {
  return many(tx, {
    name: 'contacts.setOptOuts',
    text: `with wishes as (
        select c.company_id, c._id, w.opted_out, w.at, c.opted_out <> w.opted_out as changes
        from unnest($1::text[], $2::text[], $3::boolean[], $4::timestamptz[]) as w (company_id, contact_id, opted_out, at)
        join contacts c on c.company_id = w.company_id and c._id = w.contact_id
        where c.opted_out_told_at is null or c.opted_out_told_at <= w.at
        order by c.company_id, c._id for no key update of c
      ), noted as (
        update contacts c set opted_out = w.opted_out, opted_out_told_at = w.at,
          updated_at = case when w.changes then now() else c.updated_at end
        from wishes w where c.company_id = w.company_id and c._id = w._id
      )
      select company_id as company, _id from wishes where changes`,
    values: [
      wishes.map((wish) => wish.company),
      wishes.map((wish) => wish.contact),
      wishes.map((wish) => wish.optedOut),
      wishes.map((wish) => wish.at),
    ],
  });
}
