import { Type, type Static } from 'typebox';
import { NAMED_ACTORS } from '../../platform/values/actor.ts';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { define, nullable, oneOf, plain, recordId, ref, strict, Timestamp } from '../../platform/values/schema.ts';
import { ContactSummary } from '../contacts/schemas.ts';
import { MailAuthor } from '../messages/mail/schemas.ts';

export const NOTIFICATION_KINDS = [
  'ASSIGNED',
  'TEAM_ASSIGNED',
  'MENTIONED',
  'REPLIED',
  'UNASSIGNED_NEW',
  'NOT_SENT',
  'SLA_BREACHED',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];
const kind = oneOf(
  NOTIFICATION_KINDS,
  'ASSIGNED: someone else made the user the owner; TEAM_ASSIGNED: a conversation without an owner came to a team of the user that assigns by hand, or in which no member has capacity; MENTIONED: a note ' +
    'mentions the user; REPLIED: the contact wrote in a conversation that the user owns or follows; UNASSIGNED_NEW: a conversation without an owner or a team was opened or reopened, or handed over by its agent, or waits in a team none of whose members sees its inbox; NOT_SENT: a scheduled or held message of the user ' +
    'failed and will not be sent; SLA_BREACHED: a target of an SLA policy was missed in a conversation that the user owns, or of a team of the user and without an owner, or without both if the user is notified of new conversations',
);

export const Notification = define(
  'Notification',
  Type.Object({
    _id: recordId('notification'),
    company: recordId('company'),
    user: recordId('user', 'The user who is notified'),
    kind,
    conversation: nullable(recordId('conversation'), 'Null if the notification stands for several conversations'),
    contact: nullable(recordId('contact'), 'The contact of the conversation'),
    contact_summary: nullable(ref(ContactSummary), "The contact's name and identifiers"),
    actor: Type.Unsafe<{ type: (typeof NAMED_ACTORS)[number]; _id: string; name: string } | null>({
      ...nullable(
        Type.Object({
          type: oneOf(NAMED_ACTORS, 'The kind of actor: a user, a key, an agent, a campaign or a follow-up'),
          _id: recordId(['user', 'api-key', 'agent', 'campaign', 'follow-up']),
          name: plain.text('Its name at that time'),
        }),
      ),
      description: 'Who caused it; null for the contact and the platform itself',
    }),
    message: nullable(
      recordId('message', 'The newest message of the contact, the note, or the message that was not sent'),
    ),
    author: nullable(MailAuthor),
    preview: nullable(plain.text('The beginning of that message; null if it has no text')),
    count: plain.integer('How many messages, mentions or conversations it stands for'),
    read_at: nullable(Timestamp, 'When the user read it; null while it is unread'),
    createdAt: Type.Unsafe<string>({ ...Timestamp, description: 'When it was written or last raised' }),
    updatedAt: Timestamp,
  }),
);
export type Notification = Static<typeof Notification>;

export const NotificationList = pageSchema(ref(Notification));
export const NotificationQuery = pageQuery('-createdAt', {
  unread: Type.Optional(plain.flag('true: only unread notifications; false: only read ones')),
  kind: Type.Optional(kind),
});
export type NotificationQuery = Static<typeof NotificationQuery>;

const ofKind = plain.integer('How many notifications of this kind are unread');
const unreadByKind = {
  ASSIGNED: ofKind,
  TEAM_ASSIGNED: ofKind,
  MENTIONED: ofKind,
  REPLIED: ofKind,
  UNASSIGNED_NEW: ofKind,
  NOT_SENT: ofKind,
  SLA_BREACHED: ofKind,
} satisfies Record<NotificationKind, unknown>;

export const NotificationCounts = define(
  'NotificationCounts',
  Type.Object({
    unread: plain.integer('How many notifications are unread'),
    by_kind: Type.Object(unreadByKind, { description: 'The same for each kind' }),
  }),
);
export type NotificationCounts = Static<typeof NotificationCounts>;

const MAX_IDS = declareLimit(100, { topic: 'Accounts', what: 'Notifications marked as read by id', beyond: '400' });

/** One of both, which the operation checks: an error names the field. */
export const NotificationsRead = define(
  'NotificationsRead',
  strict({
    ids: Type.Optional(
      Type.Array(recordId('notification'), {
        minItems: 1,
        maxItems: MAX_IDS,
        uniqueItems: true,
        description: 'These notifications of the calling user; either these or until',
      }),
    ),
    until: Type.Optional(
      Type.Unsafe<string>({ ...Timestamp, description: 'All that were written at this time or before' }),
    ),
  }),
);
export type NotificationsRead = Static<typeof NotificationsRead>;

const places = {
  console: Type.Boolean({ description: 'Whether the user is notified. Without it nothing is stored' }),
  browser: Type.Boolean({ description: 'Whether the open console also shows them as notifications of the browser' }),
  push: Type.Boolean({ description: 'Whether they are pushed to the browsers that the user has registered' }),
  mail: Type.Boolean({ description: 'Whether the user is mailed unread ones while away from the console' }),
};
const choice = (description: string) => Type.Object(places, { additionalProperties: false, description });
const changed = (description: string) =>
  Type.Object(
    { ...places, push: Type.Optional(places.push), mail: Type.Optional(places.mail) },
    { additionalProperties: false, description },
  );
const EVENTS = {
  ASSIGNED: 'When someone else makes the user the owner of a conversation',
  TEAM_ASSIGNED:
    'When a conversation without an owner comes to a team of the user that assigns by hand, or in which no member has capacity',
  MENTIONED: 'When a note mentions the user',
  REPLIED: 'When the contact writes in a conversation that the user owns or follows',
  UNASSIGNED_NEW:
    'When a conversation without an owner or a team is opened or reopened, or handed over by its agent, or waits in a team none of whose members sees its inbox',
  NOT_SENT: 'When a scheduled or held message of the user fails',
  SLA_BREACHED:
    'When a target of an SLA policy is missed in a conversation of the user, or of a team of the user if it has no owner',
} satisfies Record<NotificationKind, string>;

const choices = {
  ASSIGNED: choice(EVENTS.ASSIGNED),
  TEAM_ASSIGNED: choice(EVENTS.TEAM_ASSIGNED),
  MENTIONED: choice(EVENTS.MENTIONED),
  REPLIED: choice(EVENTS.REPLIED),
  UNASSIGNED_NEW: choice(EVENTS.UNASSIGNED_NEW),
  NOT_SENT: choice(EVENTS.NOT_SENT),
  SLA_BREACHED: choice(EVENTS.SLA_BREACHED),
} satisfies Record<NotificationKind, unknown>;
const changes = {
  ASSIGNED: changed(EVENTS.ASSIGNED),
  TEAM_ASSIGNED: changed(EVENTS.TEAM_ASSIGNED),
  MENTIONED: changed(EVENTS.MENTIONED),
  REPLIED: changed(EVENTS.REPLIED),
  UNASSIGNED_NEW: changed(EVENTS.UNASSIGNED_NEW),
  NOT_SENT: changed(EVENTS.NOT_SENT),
  SLA_BREACHED: changed(EVENTS.SLA_BREACHED),
} satisfies Record<NotificationKind, unknown>;

export const NotificationSettings = define(
  'NotificationSettings',
  Type.Object(choices, {
    description: 'By default, all are on except UNASSIGNED_NEW, and mail is on for ASSIGNED, MENTIONED and NOT_SENT',
  }),
);
export type NotificationSettings = Static<typeof NotificationSettings>;

/** `push` and `mail` are optional: they are newer than the others. */
export const NotificationSettingsChange = define(
  'NotificationSettingsChange',
  Type.Partial(strict(changes), { additionalProperties: false }),
);
export type NotificationSettingsChange = Static<typeof NotificationSettingsChange>;
