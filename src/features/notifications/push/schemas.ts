import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema } from '../../../platform/store/paging.ts';
import type { LeasedRow } from '../../../platform/work/claims/leases.ts';
import type { RowOutcome } from '../../../platform/work/claims/queue.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import {
  define,
  explainedPattern,
  nullable,
  plain,
  recordId,
  ref,
  strict,
  Timestamp,
} from '../../../platform/values/schema.ts';
import type { Notification } from '../schemas.ts';

export const MOST_BROWSERS = declareLimit(10, {
  topic: 'Accounts',
  what: 'Browsers per user to which notifications are pushed',
  beyond: 'the one that has not registered for the longest time is removed',
});
/** The longest known endpoint, that of Windows, has some 600 characters. */
const MAX_ENDPOINT = 2_000;

export const PushKey = define(
  'PushKey',
  Type.Object({
    public_key: plain.text('The `applicationServerKey` for `PushManager.subscribe()`: a P-256 point in base64url'),
  }),
);
export type PushKey = Static<typeof PushKey>;

export const PushSubscription = define(
  'PushSubscription',
  Type.Object({
    _id: recordId('push-subscription'),
    company: recordId('company'),
    user: recordId('user', 'The user whose notifications are pushed'),
    browser: plain.text('The browser and its system, such as Chrome on Android'),
    last_used_at: nullable(Timestamp, 'When a notification was last pushed to it'),
    createdAt: Timestamp,
    updatedAt: Type.Unsafe<string>({ ...Timestamp, description: 'When the browser last registered' }),
  }),
);
export type PushSubscription = Static<typeof PushSubscription>;

export const PushSubscriptionList = pageSchema(ref(PushSubscription));
export const PushSubscriptionQuery = pageQuery('-createdAt', {});
export type PushSubscriptionQuery = Static<typeof PushSubscriptionQuery>;
export const PushSubscriptionParams = Type.Object({ id: recordId('push-subscription') });

export const PushSubscriptionChange = define(
  'PushSubscriptionChange',
  strict({
    endpoint: Type.String({
      minLength: 1,
      maxLength: MAX_ENDPOINT,
      description: 'The address at which the push service takes messages for the browser',
    }),
    keys: plain.strict('What the browser has made for this subscription', {
      p256dh: Type.String({
        ...explainedPattern('^[A-Za-z0-9_-]{87}=?$', 'must be 65 bytes in base64url'),
        description: 'The public key of the browser: 65 bytes in base64url',
      }),
      auth: Type.String({
        ...explainedPattern('^[A-Za-z0-9_-]{22}(==)?$', 'must be 16 bytes in base64url'),
        description: 'The secret of the browser: 16 bytes in base64url',
      }),
    }),
  }),
);
export type PushSubscriptionChange = Static<typeof PushSubscriptionChange>;

/** A push that this process has claimed. */
export interface ClaimedPush extends LeasedRow {
  /** How often it was begun, including this time. */
  attempts: number;
  subscription: string;
  notification: string;
}

/** What is needed to push a notification. */
export interface DuePush {
  endpoint: string;
  p256dh: string;
  auth: string;
  language: string;
  notification: Notification;
}

export interface PushOutcome extends RowOutcome {
  company: string;
  claimed_at: string;
  subscription: string;
  /** SENT: the push service took it · OBSOLETE: there is nothing to push any more · GONE: the browser is no longer registered there · LATER: it is tried again */
  state: 'SENT' | 'OBSOLETE' | 'GONE' | 'LATER';
  pause_seconds: number | null;
}
