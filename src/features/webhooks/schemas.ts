import { Type, type Static } from 'typebox';
import { EVENT_NAMES } from '../../platform/store/events.ts';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import { define, nullable, oneOf, recordId, ref, strict, Timestamp } from '../../platform/values/schema.ts';

const MAX_HEADERS = 20;
const MAX_HEADER_LENGTH = 4_096;

const status = oneOf(['ACTIVE', 'INACTIVE']);
const url = Type.String({ minLength: 1, maxLength: 2_048, description: 'http or https; a public address' });
const events = Type.Array(oneOf(EVENT_NAMES), { minItems: 1, uniqueItems: true });
const customHeaders = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: MAX_HEADERS,
  additionalProperties: { type: 'string', maxLength: MAX_HEADER_LENGTH },
  description:
    'Header name to value, sent with each delivery. A value consists of visible ASCII characters, with blanks only between them',
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

export const Webhook = define(
  'Webhook',
  Type.Object({
    _id: recordId('webhook'),
    company: recordId('company'),
    url: Type.String(),
    events: Type.Array(oneOf(EVENT_NAMES)),
    custom_headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Values are masked for callers without webhooks:update',
    }),
    status,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Webhook = Static<typeof Webhook>;

export const WebhookOrNull = nullable(ref(Webhook));
export const WebhookParams = Type.Object({ id: recordId('webhook') });
export const DeliveryParams = Type.Object({ id: recordId('delivery') });

export const DELIVERY_STATUSES = ['QUEUED', 'SENDING', 'DELIVERED', 'FAILED', 'UNKNOWN'] as const;

export const WebhookDelivery = define(
  'WebhookDelivery',
  Type.Object({
    _id: recordId('delivery'),
    company: recordId('company'),
    webhook: recordId('webhook'),
    event: oneOf(EVENT_NAMES),
    resource_id: recordId('*'),
    status: oneOf(DELIVERY_STATUSES),
    response_status: nullable(Type.Integer()),
    response_ms: nullable(Type.Integer()),
    response_body: nullable(Type.String({ description: 'The first 4 kB that the receiver answered' })),
    error: nullable(Type.String()),
    body: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'What was sent: event, timestamp, data; redacted: true where its contact has been erased',
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
  event: Type.Optional(oneOf(EVENT_NAMES)),
  status: Type.Optional(oneOf(DELIVERY_STATUSES)),
  from: Type.Optional(Type.String({ ...Timestamp, description: 'Deliveries that were queued at this time or later' })),
  to: Type.Optional(Type.String({ ...Timestamp, description: 'Deliveries that were queued before this time' })),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;
