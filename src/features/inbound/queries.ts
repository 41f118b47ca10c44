import { exec } from '../../platform/db.ts';
import type { SystemTx } from '../../platform/tenant.ts';

export interface Aside {
  _id: string;
  channel: string;
  address: string | null;
  reason: string;
  raw: Buffer;
}

export function insertAsides(tx: SystemTx, asides: Aside[]): Promise<number> {
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
export function deleteAside(tx: SystemTx, days: number): Promise<number> {
  return exec(tx, {
    name: 'inbound.deleteAside',
    text: `delete from callbacks_aside where _id = any(array(
        select _id from callbacks_aside where created_at < now() - make_interval(days => $1) order by created_at limit 1000))`,
    values: [days],
  });
}

export interface PendingTurn {
  company: string;
  conversation: string;
  message: string;
}

/** Stores one pending turn per conversation, for its newest message. An agent does not answer a contact that the company has blocked. */
export function leaveTurns(tx: SystemTx, turns: PendingTurn[]): Promise<number> {
  return exec(tx, {
    name: 'inbound.leaveTurns',
    text: `insert into pending_turns (company_id, conversation_id, message_id)
      select t.* from unnest($1::text[], $2::text[], $3::text[]) as t (company_id, conversation_id, message_id)
        join conversations v on v.company_id = t.company_id and v._id = t.conversation_id
        join contacts c on c.company_id = v.company_id and c._id = v.contact_id and not c.blocked
      order by 1, 2
      on conflict (company_id, conversation_id) do update set message_id = excluded.message_id`,
    values: [
      turns.map((turn) => turn.company),
      turns.map((turn) => turn.conversation),
      turns.map((turn) => turn.message),
    ],
  });
}
