import { exec } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export interface AsideElement {
  _id: string;
  channel: string;
  address: string | null;
  reason: string;
  raw: Buffer;
}

export function insertAsides(tx: SystemTx, asides: AsideElement[]): Promise<number> {
  return exec(tx, {
    name: 'inbound.insertAsides',
    text: `insert into callbacks_aside (_id, channel, address, reason, raw)
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[])`,
    values: [
      asides.map((aside) => aside._id),
      asides.map((aside) => aside.channel),
      asides.map((aside) => aside.address),
      asides.map((aside) => aside.reason),
      asides.map((aside) => aside.raw),
    ],
  });
}

/** Deletes one page of old elements that were kept aside. Returns how many: another page may follow unless it is 0. */
export function deleteOldAsides(tx: SystemTx, days: number): Promise<number> {
  return exec(tx, {
    name: 'inbound.deleteAside',
    text: `delete from callbacks_aside where _id = any(array(
        select _id from callbacks_aside where created_at < now() - make_interval(days => $1) order by created_at limit 1000))`,
    values: [days],
  });
}
