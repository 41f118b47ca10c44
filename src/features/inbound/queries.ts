import { exec } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

interface Place {
  company: string;
  inbox: string;
}

export interface AsideElement {
  _id: string;
  channel: string;
  address: string | null;
  reason: string;
  raw: Buffer;
  /** The inbox that received the element, if it is known: its company sees that the element is missing. */
  receiver: Place | null;
}

export async function insertAsides(tx: SystemTx, asides: AsideElement[]): Promise<number> {
  const received = asides.flatMap(({ _id, reason, receiver }) => (receiver ? [{ _id, reason, ...receiver }] : []));
  if (received.length > 0) await insertUnreadable(tx, received);
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

function insertUnreadable(tx: SystemTx, items: (Pick<AsideElement, '_id' | 'reason'> & Place)[]): Promise<number> {
  return exec(tx, {
    name: 'inbound.insertUnreadable',
    text: `insert into unreadable_items (company_id, _id, inbox_id, reason)
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])`,
    values: [
      items.map(({ company }) => company),
      items.map(({ _id }) => _id),
      items.map(({ inbox }) => inbox),
      items.map(({ reason }) => reason),
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

/** Deletes one page of what companies see of such elements. Returns how many: another page may follow unless it is 0. */
export function deleteOldUnreadable(tx: SystemTx, days: number): Promise<number> {
  return exec(tx, {
    name: 'inbound.deleteOldUnreadable',
    text: `delete from unreadable_items where (company_id, _id) in (
        select company_id, _id from unreadable_items where created_at < now() - make_interval(days => $1) order by created_at limit 1000)`,
    values: [days],
  });
}
