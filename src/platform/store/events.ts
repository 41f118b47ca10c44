/**
 * The outbox: the transaction that makes a change also inserts its event as a delivery, with the time and data of that moment, if a
 * webhook listens to it. docs/events.md describes each event.
 */
import { exec, many, type Executor } from './db.ts';
import { newId } from '../values/ids.ts';
import type { SystemTx, TenantTx } from './tenant.ts';

/** What each event reports, and the name of the schema of its data. The data is the record; with `isChange` it is what has changed in it. */
export const EVENTS = {
  MESSAGE_RECEIVED: { summary: 'A contact has written, or the company in the Business app', data: 'Message' },
  MESSAGE_SENT: { summary: 'The network has accepted a message', data: 'Message' },
  MESSAGE_DELIVERED: { summary: 'A message has reached its contact', data: 'Message' },
  MESSAGE_READ: { summary: 'The contact has read a message', data: 'Message' },
  MESSAGE_FAILED: { summary: 'The network reports that a message did not reach its contact', data: 'Message' },
  MESSAGE_EDITED: { summary: 'The writer of a message has changed its words', data: 'Message' },
  MESSAGE_REVOKED: { summary: 'The writer of a message has deleted it for everyone', data: 'Message' },
  CONVERSATION_CREATED: { summary: 'A conversation was opened', data: 'Conversation' },
  CONVERSATION_UPDATED: { summary: 'A field of a conversation has changed', data: 'Conversation' },
  CONVERSATION_STEP_CHANGED: {
    summary: 'A conversation has moved to another step',
    data: 'StepChanged',
    isChange: true,
  },
  CONVERSATION_MERGED: {
    summary: 'A conversation was merged into another one and removed',
    data: 'ConversationMerged',
    isChange: true,
  },
  CONTACT_CREATED: { summary: 'A contact was created', data: 'Contact' },
  CONTACT_UPDATED: { summary: 'A field of a contact has changed', data: 'Contact' },
  INBOX_CONNECTION_CHANGED: {
    summary: 'The network has accepted or refused the credentials of an inbox, or they are being checked again',
    data: 'Inbox',
  },
  FOLLOWUP_SENT: { summary: 'A follow-up of an agent was sent', data: 'FollowUp' },
  RULE_RUN: { summary: 'A rule has run whose actions send this event', data: 'RuleRun' },
  CSAT_RATED: { summary: 'A contact has rated a conversation', data: 'CsatSurvey' },
  FIELD_UPDATED: { summary: 'The value of a custom field has changed', data: 'FieldUpdated', isChange: true },
} as const;
export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

export interface RecordEvent {
  event: EventName;
  /** The record in the format of its GET. The webhook of a door may want only the events of one inbox. */
  data: { _id: string; company: string; inbox?: string };
}

/** An event whose data does not name the changed record and its company in the usual way; `about` does. */
export interface ChangeEvent {
  event: 'FIELD_UPDATED' | 'CONVERSATION_STEP_CHANGED' | 'CONVERSATION_MERGED' | 'INBOX_CONNECTION_CHANGED';
  about: { _id: string; company: string; inbox?: string };
  data: object;
}

export type EventItem = RecordEvent | ChangeEvent;

const findEventRecord = (item: EventItem | UnreadEvent): { _id: string; company: string; inbox?: string } =>
  'about' in item ? item.about : item.data;

/** From this number of events on, it takes less time to find out who listens than to write bodies for nobody. */
const MANY_EVENTS = 16;

/** The queue of the loop that sends events. */
export const DELIVERIES = 'deliveries';

/**
 * Queues events in this order, in the caller's transaction, for the webhooks that listen to them. Events of a suspended company are
 * not queued.
 */
export async function emit(tx: TenantTx | SystemTx, items: EventItem[]): Promise<void> {
  await (
    await beginEmit(tx, items)
  )?.();
}

/** Like `emit`, as the last work of a transaction: COMMIT does not wait for the answer of the statement that queues the events. */
export async function emitLast(tx: TenantTx | SystemTx, items: EventItem[]): Promise<void> {
  const queue = await beginEmit(tx, items);
  if (queue) tx.awaitAtCommit(queue());
}

/** An event whose record is read when somebody listens to it. */
export interface UnreadEvent extends Pick<ChangeEvent, 'about'> {
  event: RecordEvent['event'];
}

/** Like `emit`, for many records: `read` is asked only for those to whose event a webhook listens. One that is gone is left out. */
export async function emitRecords(
  tx: TenantTx | SystemTx,
  items: (UnreadEvent | ChangeEvent)[],
  read: (ids: string[]) => Promise<RecordEvent['data'][]>,
): Promise<void> {
  const awaited = await chooseAwaited(tx, items);
  if (awaited.length === 0) return;
  const ids = new Set(awaited.flatMap((item) => ('data' in item ? [] : item.about._id)));
  const records = new Map((await read([...ids])).map((data) => [data._id, data]));
  await queueEvents(
    tx,
    awaited.flatMap((item): EventItem[] => {
      if ('data' in item) return [item];
      const data = records.get(item.about._id);
      return data ? [{ event: item.event, data }] : [];
    }),
  );
}

/** Returns the single statement that queues the events; null when nobody listens to them. */
async function beginEmit(tx: TenantTx | SystemTx, items: EventItem[]): Promise<(() => Promise<void>) | null> {
  const awaited = await chooseAwaited(tx, items);
  return awaited.length === 0 ? null : () => queueEvents(tx, awaited);
}

async function queueEvents(tx: TenantTx | SystemTx, items: EventItem[]): Promise<void> {
  if ((await insertDeliveries(tx, items, new Date().toISOString())) > 0) tx.wakes(DELIVERIES);
}

/** Returns the events to which a webhook listens; a few events are all returned without a look. */
async function chooseAwaited<T extends EventItem | UnreadEvent>(tx: Executor, items: T[]): Promise<T[]> {
  if (items.length < MANY_EVENTS) return items;
  const listeners = await many<{ company: string; event: EventName }>(tx, {
    name: 'events.findListeners',
    text: `select company_id as company, event from event_listeners where company_id = any($1::text[]) and event = any($2::text[])
      union select company_id, event from door_listeners where company_id = any($1::text[]) and event = any($2::text[])`,
    values: [
      [...new Set(items.map((item) => findEventRecord(item).company))],
      [...new Set(items.map((item) => item.event))],
    ],
  });
  const awaited = new Set(listeners.map(({ company, event }) => `${company} ${event}`));
  return items.filter((item) => awaited.has(`${findEventRecord(item).company} ${item.event}`));
}

/** Queues the deliveries that the common table expression `made` has inserted: an insert of deliveries is followed by this one. */
export const QUEUE_MADE =
  'insert into delivery_queue (company_id, seq, delivery_id) select company_id, seq, _id from made';

/**
 * A delivery for each listener: the company's webhook, and webhooks of doors, whose deliveries get ids made from the one of the item. A contact
 * has no inbox, and concerns those in which it has a conversation.
 */
function insertDeliveries(tx: Executor, items: EventItem[], timestamp: string): Promise<number> {
  return exec(tx, {
    name: 'events.insertDeliveries',
    text: `with made as (
        insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, form, resource_id, queued_at, body)
        select item.company_id, coalesce(left(item._id, 8) || left(md5(item._id || l.webhook_id || l.form), 16), item._id),
          l.webhook_id, l.epoch, item.event, l.form, item.resource_id, $5, item.body
        from unnest($1::text[], $2::text[], $3::text[], $4::text[], $6::text[], $7::text[])
          with ordinality as item (company_id, _id, event, resource_id, body, inbox_id, position)
        cross join lateral (
          select w.webhook_id, w.epoch, null::text as form from event_listeners w
            where w.company_id = item.company_id and w.event = item.event
          union all
          select d.webhook_id, d.epoch, d.form from door_listeners d where d.company_id = item.company_id and d.event = item.event
            and case when item.inbox_id is null then has_conversation(d.company_id, d.inbox_id, item.resource_id)
              else coalesce(d.inbox_id = item.inbox_id, true) end
        ) l
        where exists (select from companies c where c._id = item.company_id and c.status = 'ACTIVE')
        order by item.position
        returning company_id, seq, _id
      ) ${QUEUE_MADE}`,
    values: [
      items.map((item) => findEventRecord(item).company),
      items.map(() => newId()),
      items.map((item) => item.event),
      items.map((item) => findEventRecord(item)._id),
      timestamp,
      items.map((item) => JSON.stringify({ event: item.event, timestamp, data: item.data })),
      items.map((item) => findEventRecord(item).inbox ?? null),
    ],
  });
}
