/**
 * The outbox: the transaction that makes a change also inserts its event as a delivery, with the time and data of that moment, if a
 * webhook listens to it. docs/events.md describes each event.
 */
import type { Change, ChangeKind } from './changes/change.ts';
import { exec, type Executor } from './db.ts';
import { writeBody } from './event-body.ts';
import { newId } from './ids.ts';
import type { SystemTx, TenantTx } from './tenant.ts';

export const EVENT_NAMES = [
  'MESSAGE_RECEIVED',
  'MESSAGE_SENT',
  'MESSAGE_DELIVERED',
  'MESSAGE_READ',
  'MESSAGE_FAILED',
  'CONVERSATION_CREATED',
  'CONVERSATION_UPDATED',
  'CONVERSATION_STEP_CHANGED',
  'CONTACT_CREATED',
  'CONTACT_UPDATED',
  'FOLLOWUP_SENT',
  'FIELD_UPDATED',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

export interface RecordEvent {
  event: EventName;
  /** The record in the format of its GET. */
  data: { _id: string; company: string };
}

/** An event whose data describes a change instead of a record. `about` names the changed record and its company. */
export interface ChangeEvent {
  event: 'FIELD_UPDATED' | 'CONVERSATION_STEP_CHANGED';
  about: { _id: string; company: string };
  data: object;
}

export type EventItem = RecordEvent | ChangeEvent;

/** The kinds of records with which the names of events begin. A changed field is reported by the event of its record as well. */
const REPORTED_KINDS: ChangeKind[] = ['CONTACT', 'CONVERSATION', 'MESSAGE'];

function toChanges(items: EventItem[]): Change[] {
  return items.flatMap((item) => {
    const kind = REPORTED_KINDS.find((known) => item.event.startsWith(`${known}_`));
    const { company, _id } = findSubject(item);
    return kind ? [{ company, kind, ids: [_id] }] : [];
  });
}

const findSubject = (item: EventItem): { _id: string; company: string } => ('about' in item ? item.about : item.data);

type Listener = () => void;
const listeners = new Set<Listener>();

/** Calls the listener whenever this process has committed new deliveries. Returns a function that removes the listener. */
export function onQueued(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Wakes the delivery loop of this process, so that it looks for new deliveries at once. */
export function wakeDeliveries(): void {
  for (const listener of listeners) listener();
}

/**
 * Queues events in this order, in the caller's transaction, for the webhooks that listen to them, and names their records to the change
 * feed. Events of a suspended company are not queued.
 */
export async function emit(tx: TenantTx | SystemTx, items: EventItem[]): Promise<void> {
  if (items.length === 0) return;
  tx.changed(toChanges(items));
  const queued = await insertDeliveries(tx, items, new Date().toISOString());
  if (queued > 0) tx.afterCommit(wakeDeliveries);
}

function insertDeliveries(tx: Executor, items: EventItem[], timestamp: string): Promise<number> {
  return exec(tx, {
    name: 'events.insertDeliveries',
    text: `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, queued_at, body)
      select item.company_id, item._id, l.webhook_id, l.epoch, item.event, item.resource_id, $5, item.body
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $6::text[])
        with ordinality as item (company_id, _id, event, resource_id, body, position)
      join event_listeners l on l.company_id = item.company_id and l.event = item.event
      where exists (select from companies c where c._id = l.company_id and c.status = 'ACTIVE')
      order by item.position`,
    values: [
      items.map((item) => findSubject(item).company),
      items.map(() => newId()),
      items.map((item) => item.event),
      items.map((item) => findSubject(item)._id),
      timestamp,
      items.map((item) => writeBody({ event: item.event, timestamp, data: item.data })),
    ],
  });
}
