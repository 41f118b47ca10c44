import { Type, type Static } from 'typebox';
import { anyWebhook } from '../schemas.ts';
import { EVENT_NAMES } from '../../../platform/store/events.ts';
import { define, nullable, oneOf, recordId, strict, Timestamp, plain } from '../../../platform/values/schema.ts';

/** What can be sent again: deliveries that have ended. */
const ENDED_STATUSES = ['FAILED', 'UNKNOWN', 'DELIVERED'] as const;
export const REPLAY_STATUSES = ['RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED'] as const;

export const DeliveryReplayCreate = define(
  'DeliveryReplayCreate',
  strict({
    status: oneOf(ENDED_STATUSES, 'Which deliveries are replayed, by their status'),
    event: Type.Optional(oneOf(EVENT_NAMES, 'By default the deliveries of all events')),
    webhook: Type.Optional(
      recordId('door-webhook', "The webhook of a door; by default those of the company's webhook"),
    ),
    from: Type.String({ ...Timestamp, description: 'Deliveries that were queued at this time or later' }),
    to: Type.String({ ...Timestamp, description: 'Deliveries that were queued before this time' }),
  }),
);
export type DeliveryReplayCreate = Static<typeof DeliveryReplayCreate>;

export const DeliveryReplay = define(
  'DeliveryReplay',
  Type.Object({
    _id: recordId('delivery-replay'),
    company: recordId('company'),
    webhook: anyWebhook('The webhook that gets the replays'),
    status: oneOf(
      REPLAY_STATUSES,
      'The state of the replay. FAILED: it ended before its last delivery, and `error` says why',
    ),
    delivery_status: oneOf(ENDED_STATUSES, 'The status of the deliveries to replay'),
    event: nullable(oneOf(EVENT_NAMES, 'null: all events')),
    from: Timestamp,
    to: Timestamp,
    total: plain.integer('The deliveries that matched when it began'),
    processed: plain.integer('Deliveries processed so far'),
    replayed: plain.integer(
      'Deliveries queued again. Skipped are deliveries whose contact was erased, and failed ones that another replay has delivered or will deliver',
    ),
    error: nullable(
      plain.text(
        'Why it ended before its last delivery: WEBHOOK_INACTIVE, or RUN_CRASHED if it crashed its process twice',
      ),
    ),
    finished_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type DeliveryReplay = Static<typeof DeliveryReplay>;
