/**
 * The formats in which the webhooks of doors get events. A door declares its format here; the delivering loop asks for it when it sends. The
 * stored delivery has the event as the platform describes it, so the log and the erasure of contacts know one form only.
 */
import type { Readable } from 'node:stream';
import type { EventName } from '../store/events.ts';
import type { StreamedBody } from './outbound-stream.ts';

/** The doors whose clients can register webhooks. */
export const WEBHOOK_DOORS = ['EVOLUTION'] as const;
export type WebhookDoor = (typeof WEBHOOK_DOORS)[number];

export interface DoorWebhookOptions {
  /** Each event has a path of its own below the address. */
  by_events: boolean;
  /** Files travel in the delivery. */
  base64: boolean;
  /** The key that set the webhook travels in each delivery. */
  include_apikey: boolean;
}

/** An event that is about to be sent to the webhook of a door. */
export interface DoorEvent {
  /** The door's own name of the event. */
  form: string;
  url: string;
  inbox: string | null;
  options: DoorWebhookOptions;
  apiKey: string | null;
  /** The custom headers of the webhook, with names in lower case. */
  headers: Record<string, string>;
  event: EventName;
  timestamp: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  data: Record<string, any>;
}

export interface DoorFile {
  bytes: number;
  open(): Promise<Readable>;
}

/** What a format may look up, in the company of the webhook. Records are in the format of their GET; null for those that are gone. */
export interface DoorLookUps {
  inbox(id: string): Promise<DoorEvent['data'] | null>;
  message(id: string): Promise<DoorEvent['data'] | null>;
  /** The phone numbers of the contact as networks write them. */
  phones(contact: string): Promise<string[]>;
  /** The file of an attachment that has at most so many bytes. One that is being fetched is waited for a few seconds. */
  file(attachment: string, maxBytes: number): Promise<DoorFile | null>;
}

export interface DoorRequest {
  url: string;
  headers: Record<string, string>;
  body: string | StreamedBody;
}

export interface DoorFormat {
  /** The door's own names of events, each with the events of the platform that fire it; none for a name that never fires. */
  events: Readonly<Record<string, readonly EventName[]>>;
  /** Null when there is nothing to send, because its inbox is gone. */
  build(event: DoorEvent, lookUps: DoorLookUps, publicUrl: string): Promise<DoorRequest | null>;
}

const formats = new Map<WebhookDoor, DoorFormat>();

/** Declares the format of a door, before the API or the worker starts. */
export function declareDoorFormat(door: WebhookDoor, format: DoorFormat): void {
  formats.set(door, format);
}

export function findDoorFormat(door: WebhookDoor): DoorFormat {
  const format = formats.get(door);
  if (!format) throw new Error(`${door}: no format is declared`);
  return format;
}
