/** Statements about the places in the daily limit of a business that messages have taken. */
import type { ChannelName } from '../../channels/registry.ts';
import { exec, many } from '../../platform/store/db.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';

/** The place that a message has taken for its recipient. */
export interface MessagePlace {
  message: string;
  person: string;
  reached_at: string | null;
  reached_before: string | null;
}

/** The business whose limit has the place. */
interface Business {
  channel: ChannelName;
  portfolio: string;
}

export function insertPlaces(tx: TenantTx, { channel, portfolio }: Business, places: MessagePlace[]): Promise<number> {
  return exec(tx, {
    name: 'messages.insertPlaces',
    text: `insert into message_places (company_id, message_id, channel, portfolio, person, reached_at, reached_before)
      select $1, n.message, $2, $3, n.person, n.reached_at, n.reached_before
      from unnest($4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[]) as n (message, person, reached_at, reached_before)`,
    values: [
      tx.companyId,
      channel,
      portfolio,
      places.map(({ message }) => message),
      places.map(({ person }) => person),
      places.map(({ reached_at }) => reached_at),
      places.map(({ reached_before }) => reached_before),
    ],
  });
}

export type DuePlace = Business & Omit<MessagePlace, 'message'>;

/** Removes places of messages that failed, and returns them. Places that another worker is giving back are left to it. */
export function takeDuePlaces(tx: TenantTx, most: number): Promise<DuePlace[]> {
  return many(tx, {
    name: 'messages.takeDuePlaces',
    text: `delete from message_places where company_id = $1 and message_id = any(array(
        select message_id from message_places where company_id = $1 and is_due limit $2 for update skip locked))
      returning channel, portfolio, person, reached_at, reached_before`,
    values: [tx.companyId, most],
  });
}
