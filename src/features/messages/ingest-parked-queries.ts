/** Parked updates: statuses, edits and revocations that arrived before their message and wait for it. */
import { exec, many } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { keyColumns, type AnyTx, type MessageKey } from './ingest-queries.ts';

export interface Parked extends MessageKey {
  _id: string;
  kind: 'STATUS' | 'EDIT' | 'REVOKE';
  at: string;
  payload: Record<string, unknown>;
}

export function parkUpdates(tx: AnyTx, parked: Parked[]): Promise<number> {
  return exec(tx, {
    name: 'messages.park',
    text: `insert into parked_updates (company_id, inbox_id, external_id, _id, kind, happened_at, payload, fingerprint)
      select p.company_id, p.inbox_id, p.external_id, p._id, p.kind, p.at, p.payload::jsonb, md5(p.kind || p.at || p.payload)
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[])
        as p (company_id, inbox_id, external_id, _id, kind, at, payload)
      order by 1, 2, 3, 8
      on conflict do nothing`,
    values: [
      ...keyColumns(parked),
      parked.map((item) => item._id),
      parked.map((item) => item.kind),
      parked.map((item) => item.at),
      parked.map((item) => JSON.stringify(item.payload)),
    ],
  });
}

const UNPARKED = `company_id as company, inbox_id as inbox, external_id, _id, kind, happened_at as at, payload`;

/** Removes and returns the updates that wait for these messages, oldest first. */
export function takeParked(tx: AnyTx, keys: MessageKey[]): Promise<Parked[]> {
  return many(tx, {
    name: 'messages.takeParked',
    text: `with taken as (
        delete from parked_updates p using unnest($1::text[], $2::text[], $3::text[]) as k (company_id, inbox_id, external_id)
        where p.company_id = k.company_id and p.inbox_id = k.inbox_id and p.external_id = k.external_id
        returning p.*
      ) select ${UNPARKED} from taken order by happened_at, _id`,
    values: keyColumns(keys),
  });
}

/** Returns the SQL condition that an update was parked in the last `minutes`. */
export const hasParked = (minutes: number): string =>
  `exists (select from parked_updates where created_at > now() - interval '${minutes} minutes')`;

/** Finds messages for which a recent update still waits, because the message and the update were stored at the same moment. */
export function findCrossed(tx: SystemTx, backMinutes: number): Promise<MessageKey[]> {
  return many(tx, {
    name: 'messages.findCrossed',
    // `offset 0` and `lateral` keep the planner on the recent updates. Without statistics of these tables it would read a whole table
    // to save a sort.
    text: `select distinct p.company_id as company, p.inbox_id as inbox, p.external_id
      from (select * from parked_updates where created_at > now() - make_interval(mins => $1) order by created_at offset 0) p
      cross join lateral (select from message_keys y
        where y.company_id = p.company_id and y.key = message_key(p.inbox_id, p.external_id) limit 1) y limit 500`,
    values: [backMinutes],
  });
}
