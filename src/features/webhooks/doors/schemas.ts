import { Type, type Static } from 'typebox';
import { WEBHOOK_DOORS } from '../../../platform/outside/door-formats.ts';
import { pageSchema, pageQuery } from '../../../platform/store/paging.ts';
import { define, nullable, oneOf, recordId, ref, strict, Timestamp, plain } from '../../../platform/values/schema.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import { customHeaders, shownHeaders, status, url } from '../schemas.ts';

export const MAX_DOOR_WEBHOOKS = declareLimit(20, {
  topic: 'Webhooks',
  what: 'Webhooks of doors per company',
  beyond: '400',
});

const door = oneOf(WEBHOOK_DOORS, 'The door, whose format the deliveries have');
const events = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  maxItems: 100,
  uniqueItems: true,
  description: "The door's own names of events; none: nothing is sent",
});
const options = {
  by_events: plain.flag('Whether each event has a path of its own below `url`'),
  base64: plain.flag('Whether a delivery contains the file of its message, up to 8 MB of base64'),
  include_apikey: plain.flag(
    'Whether each delivery contains the API key that set the webhook, so that the receiver can call back',
  ),
};

export const DoorWebhookSet = define(
  'DoorWebhookSet',
  strict({
    door,
    inbox: Type.Optional(nullable(recordId('inbox', 'Only the events of this inbox; null for those of all'))),
    url,
    events,
    custom_headers: Type.Optional(customHeaders),
    options: Type.Optional(
      Type.Partial(strict(options), { additionalProperties: false, description: 'By default all are off' }),
    ),
    status: Type.Optional(status),
  }),
);
export type DoorWebhookSet = Static<typeof DoorWebhookSet>;

export const DoorWebhookUpdate = define('DoorWebhookUpdate', strict({ status }));
export type DoorWebhookUpdate = Static<typeof DoorWebhookUpdate>;

export const DoorWebhook = define(
  'DoorWebhook',
  Type.Object({
    _id: recordId('door-webhook'),
    company: recordId('company'),
    door,
    inbox: nullable(recordId('inbox')),
    url: plain.text('The address to which events are posted'),
    events: Type.Array(Type.String(), { description: "The door's own names of events" }),
    custom_headers: shownHeaders,
    options: plain.object('What the deliveries contain', options),
    status,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type DoorWebhook = Static<typeof DoorWebhook>;

export const DoorWebhookParams = Type.Object({ id: recordId('door-webhook') });
export const DoorWebhookList = pageSchema(ref(DoorWebhook));
export const DoorWebhookQuery = pageQuery('-createdAt', {
  door: Type.Optional(oneOf(WEBHOOK_DOORS, 'Only webhooks of this door')),
  inbox: Type.Optional(recordId('inbox', 'Only the webhooks of this inbox')),
});
export type DoorWebhookQuery = Static<typeof DoorWebhookQuery>;
