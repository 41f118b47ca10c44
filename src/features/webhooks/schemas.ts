import { Type, type Static } from 'typebox';
import { EVENT_NAMES } from '../../platform/store/events.ts';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import { define, nullable, oneOf, recordId, ref, strict, Timestamp, plain } from '../../platform/values/schema.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const MAX_HEADERS = declareLimit(20, { topic: 'Webhooks', what: 'Custom headers', beyond: '400' });
const MAX_HEADER_LENGTH = declareLimit(4_096, {
  topic: 'Webhooks',
  what: 'Custom headers: value',
  unit: 'characters',
  beyond: '400',
});

export const status = oneOf(
  ['ACTIVE', 'INACTIVE'],
  'INACTIVE: nothing is sent to it; events of that time are not sent later either',
);
export const url = Type.String({ minLength: 1, maxLength: 2_048, description: 'http or https; a public address' });
const events = Type.Array(oneOf(EVENT_NAMES), {
  minItems: 1,
  uniqueItems: true,
  description: 'The events affected',
});
export const customHeaders = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: MAX_HEADERS,
  additionalProperties: { type: 'string', maxLength: MAX_HEADER_LENGTH },
  description:
    'Header name to value, sent with each delivery. A value consists of visible ASCII characters, with spaces only between them',
});

export const WebhookCreate = define(
  'WebhookCreate',
  strict({ url, events, custom_headers: Type.Optional(customHeaders), status: Type.Optional(status) }),
);
export type WebhookCreate = Static<typeof WebhookCreate>;

export const WebhookUpdate = define(
  'WebhookUpdate',
  Type.Partial(strict({ url, events, custom_headers: customHeaders, status }), { additionalProperties: false }),
);
export type WebhookUpdate = Static<typeof WebhookUpdate>;

export const shownHeaders = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Values are masked for callers without webhooks:update',
});

export const Webhook = define(
  'Webhook',
  Type.Object({
    _id: recordId('webhook'),
    company: recordId('company'),
    url: plain.text('The address to which events are posted'),
    events: Type.Array(oneOf(EVENT_NAMES), { description: 'The events affected' }),
    custom_headers: shownHeaders,
    status,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Webhook = Static<typeof Webhook>;

export const WebhookOrNull = nullable(ref(Webhook));
export const WebhookParams = Type.Object({ id: recordId('webhook') });
export const DeliveryParams = Type.Object({ id: recordId('delivery') });

/** The company's webhook, or that of a door. */
export const anyWebhook = (description?: string) => recordId(['webhook', 'door-webhook'], description);

export const DELIVERY_STATUSES = ['QUEUED', 'SENDING', 'DELIVERED', 'FAILED', 'UNKNOWN'] as const;

export const WebhookDelivery = define(
  'WebhookDelivery',
  Type.Object({
    _id: recordId('delivery'),
    company: recordId('company'),
    webhook: anyWebhook(),
    event: oneOf(EVENT_NAMES, 'The event'),
    form: nullable(
      plain.text("The door's name of the event, if it goes to the webhook of a door; null for the company's webhook"),
    ),
    resource_id: recordId('*'),
    status: oneOf(
      DELIVERY_STATUSES,
      'DELIVERED: the receiver answered 2xx, or the inbox was gone and nothing was sent (`response_status` is null); FAILED: `error` says why; UNKNOWN: the call was interrupted, so the receiver may have got it',
    ),
    response_status: nullable(plain.integer("The HTTP status of the receiver's response")),
    response_ms: nullable(plain.integer('The response time in milliseconds')),
    response_body: nullable(plain.text("The first 4 kB of the receiver's response")),
    error: nullable(plain.text('What went wrong; null if nothing did')),
    body: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        "The body that was sent: event, timestamp, data; redacted: true if its contact has been erased. The webhook of a door gets it in the door's format",
    }),
    replay_of: nullable(recordId('delivery')),
    queued_at: Timestamp,
    attempted_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const DeliveryList = pageSchema(ref(WebhookDelivery));
export const DeliveryQuery = pageQuery('-createdAt', {
  event: Type.Optional(oneOf(EVENT_NAMES, 'The event')),
  status: Type.Optional(oneOf(DELIVERY_STATUSES, 'Only records with this status')),
  webhook: Type.Optional(anyWebhook('Only deliveries to this webhook')),
  from: Type.Optional(Type.String({ ...Timestamp, description: 'Deliveries that were queued at this time or later' })),
  to: Type.Optional(Type.String({ ...Timestamp, description: 'Deliveries that were queued before this time' })),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;
