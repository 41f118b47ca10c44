import type { Json } from '../exchange.ts';
import type { Fault } from '../settings.ts';

/** baileys: a paired phone · business: the Cloud API behind the gateway, whose refusals it answers with 201. */
export type Integration = 'baileys' | 'business';

export type Webhook = {
  enabled: boolean;
  url: string;
  headers: Record<string, string>;
  events: string[];
  base64: boolean;
};

/** An instance: one phone number of the gateway. */
export type Instance = {
  name: string;
  api_key: string;
  integration: Integration;
  number: string;
  /** The account of the Cloud API behind the instance, whose templates it has. */
  waba_id: string;
  state: 'open' | 'connecting' | 'close';
  webhook: Webhook | null;
};

/** A message in either direction, as the gateway has it in its database, and what the phone page shows of it. */
export type StoredMessage = {
  instance: string;
  number: string;
  data: Json;
  base64: string | null;
  /** The message that it answers; null when it answers none. */
  quoted: string | null;
  /** Of a message that was sent through the gateway. */
  status: 'accepted' | 'sent' | 'delivered' | 'read';
  /** Of a message that was written on a phone: whether the platform took it; null until the first try has ended. */
  delivered: boolean | null;
  /** Whether the platform has marked the message of a contact as read. */
  read: boolean;
  /** The file in the sandbox's store; null without one. */
  media_id: string | null;
  created_at: string;
};

export type GatewaySettings = {
  /** How long after the answer each status is reported; null switches one off. */
  status_delays_ms: { SERVER_ACK: number | null; DELIVERY_ACK: number | null; READ: number | null };
  /** Faults of the next calls, by the last word of the path before the instance, such as sendText. */
  faults: Record<string, Fault[]>;
  /** Whether the webhook about a sent message is posted before the call that sends it is answered. */
  echo_first: boolean;
  /** The event by which a sent message is reported; some gateways report it like a message of the phone. */
  echo_event: 'send.message' | 'messages.upsert';
  /** The words that the report has in the place of those that were sent; null keeps them. */
  echo_text: string | null;
  /** Further copies of each event. */
  duplicates: number;
  /** Numbers that are not on WhatsApp. */
  unknown_numbers: string[];
  /** The pause before the second try of an event; it doubles with each try. */
  retry_ms: number;
};

export type GatewayState = {
  instances: Map<string, Instance>;
  messages: Map<string, StoredMessage>;
  /** The calls that the gateway has taken, in order, with their bodies. */
  calls: { path: string; instance: string; body: Json }[];
  settings: GatewaySettings;
  counter: number;
};

/** The newest calls and messages that are kept. */
const MOST_KEPT = 5_000;

export const makeInstance = (name: string, apiKey: string, number: string): Instance => ({
  name,
  api_key: apiKey,
  integration: 'baileys',
  number,
  waba_id: '',
  state: 'open',
  webhook: null,
});

/** The instance of the demo company, which every new sandbox has. */
const DEMO = makeInstance('demo', 'sandbox-instance-key', '5511900000001');

export const createGateway = (): GatewayState => ({
  instances: new Map([[DEMO.name, { ...DEMO }]]),
  messages: new Map(),
  calls: [],
  settings: {
    status_delays_ms: { SERVER_ACK: 50, DELIVERY_ACK: 200, READ: 600 },
    faults: {},
    echo_first: false,
    echo_event: 'send.message',
    echo_text: null,
    duplicates: 0,
    unknown_numbers: [],
    retry_ms: 200,
  },
  counter: 0,
});

type NewMessage = Pick<StoredMessage, 'instance' | 'number' | 'data' | 'base64' | 'quoted'>;

export function keepMessage({ messages }: GatewayState, id: string, given: NewMessage): StoredMessage {
  const message: StoredMessage = {
    ...given,
    status: 'accepted',
    delivered: null,
    read: false,
    media_id: null,
    created_at: new Date().toISOString(),
  };
  messages.set(id, message);
  const [oldest] = messages.keys();
  if (messages.size > MOST_KEPT && oldest !== undefined) messages.delete(oldest);
  return message;
}

export function keepCall({ calls }: GatewayState, call: GatewayState['calls'][number]): void {
  calls.push(call);
  if (calls.length > MOST_KEPT) calls.shift();
}

/** Returns an id as WhatsApp Web makes them, or as the Cloud API does. */
export function makeKeyId(state: GatewayState, { integration }: Instance): string {
  state.counter += 1;
  const digits = `${Date.now().toString(16)}${state.counter.toString(16).padStart(6, '0')}`.toUpperCase();
  return integration === 'business' ? `wamid.${digits}` : `3EB0${digits}`;
}
