import { Type, type Static } from 'typebox';
import { FILE_TYPES } from '../../platform/work/media/formats.ts';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { define, nullable, oneOf, plain, recordId, ref, strict, Timestamp } from '../../platform/values/schema.ts';
import { email, type GivenMail } from '../messages/mail/schemas.ts';
import { MAX_TEXT } from '../messages/schemas.ts';
import { GivenTemplate } from '../templates/schemas.ts';

const { Optional } = Type;

export const MAX_AHEAD_DAYS = declareLimit(366, {
  topic: 'Messages',
  what: 'Scheduled messages: how far ahead',
  unit: 'days',
  beyond: '400',
});
export const MAX_SCHEDULED = declareLimit(100, {
  topic: 'Messages',
  what: 'Scheduled messages of a conversation that are not sent yet',
  beyond: '400',
});
export const MAX_HOLD_SECONDS = declareLimit(60, {
  topic: 'Messages',
  what: 'Scheduled messages: `hold_seconds`',
  unit: 'seconds',
  beyond: '400',
});

const SCHEDULED_STATUSES = ['SCHEDULED', 'SENT', 'CANCELLED', 'FAILED'] as const;
const CANCEL_REASONS = ['CANCELLED_BY_REQUEST', 'REPLIED'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];
const CONTENT_TYPES = ['TEXT', ...FILE_TYPES, 'TEMPLATE'] as const;
export type ScheduledContentType = (typeof CONTENT_TYPES)[number];

const contentType = oneOf(CONTENT_TYPES, 'The kind of content. TEXT by default');

export const ScheduledContent = define(
  'ScheduledContent',
  strict({
    contentType: Optional(contentType),
    content: Optional(nullable(Type.String({ maxLength: MAX_TEXT }), 'The text, or the caption of a file')),
    attachment: Optional(nullable(recordId('attachment', 'The uploaded file, for the type of a file'))),
    template: Optional(nullable(ref(GivenTemplate), 'The template with its values, for TEMPLATE')),
    email,
  }),
);
export type GivenContent = Static<typeof ScheduledContent>;

/** What is sent, as it is stored. */
export interface ScheduledContentRecord {
  contentType: ScheduledContentType;
  content: string | null;
  attachment: string | null;
  template: GivenTemplate | null;
  /** Absent in what was scheduled without it. */
  email?: NonNullable<GivenMail>;
}

export const ScheduledMessage = define(
  'ScheduledMessage',
  plain.object('A message that is sent at a time', {
    _id: recordId('scheduled-message'),
    company: recordId('company'),
    conversation: recordId('conversation'),
    contact: recordId('contact'),
    inbox: recordId('inbox'),
    message: Type.Unsafe<ScheduledContentRecord>(
      plain.object('The message to send', {
        contentType,
        content: nullable(plain.text('The text, or the caption of a file')),
        attachment: nullable(recordId('attachment')),
        template: nullable(ref(GivenTemplate), 'The template with its values'),
        email,
      }),
    ),
    reply_to: nullable(recordId('message', 'The message that it replies to')),
    send_at: Type.String({ ...Timestamp, description: 'When it is sent' }),
    is_held: plain.flag('Whether it was created with `hold_seconds`, so that its author could take it back'),
    cancel_on_reply: plain.flag('Whether it is cancelled if the contact writes first'),
    status: oneOf(
      SCHEDULED_STATUSES,
      'SCHEDULED; SENT: the network was called, and the message has a status of its own; CANCELLED; FAILED',
    ),
    sent_message: nullable(
      recordId('message', 'The message, once it is stored to be sent. A blocked or rejected message is stored as well'),
    ),
    cancel_reason: nullable(oneOf(CANCEL_REASONS, 'Why it was cancelled; null unless it was')),
    failure: nullable(
      plain.object('Why it failed', {
        code: plain.text(
          'The code of the cause in the errors of the message, or of the error with which a send would be refused. ' +
            'AUTHOR_INACTIVE: the user was deactivated, removed or given a role that cannot send, or no longer sees the inbox, or the API key was revoked or has expired. ' +
            'COMPANY_SUSPENDED: the company was suspended',
        ),
        message: plain.text('The cause in a sentence'),
      }),
    ),
    created_by: plain.object('The user, API key or rule in whose name it is sent', {
      type: oneOf(['USER', 'KEY', 'RULE'], 'The kind of author'),
      _id: plain.text('The id of the user, the API key or the rule'),
      name: plain.name,
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type ScheduledMessage = Static<typeof ScheduledMessage>;

const message = ref(ScheduledContent, 'The message to send');
const sendAt = Type.String({ ...Timestamp, description: 'When it is sent: in the future, at most a year ahead' });
const optional = {
  reply_to: Optional(nullable(recordId('message', 'The message that it replies to'))),
  cancel_on_reply: Optional(plain.flag('true: it is cancelled if the contact writes first')),
};

export const ScheduledMessageCreate = define(
  'ScheduledMessageCreate',
  strict({
    conversation: recordId('conversation'),
    message,
    send_at: Optional(sendAt),
    hold_seconds: Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_HOLD_SECONDS,
        description: 'Instead of `send_at`: holds the message for this long, so that its author can take it back',
      }),
    ),
    ...optional,
  }),
);
export type ScheduledMessageCreate = Static<typeof ScheduledMessageCreate>;

export const ScheduledMessageUpdate = define(
  'ScheduledMessageUpdate',
  strict({ message: Optional(message), send_at: Optional(sendAt), ...optional }),
);
export type ScheduledMessageUpdate = Static<typeof ScheduledMessageUpdate>;

export const ScheduledMessageParams = Type.Object({ id: recordId('scheduled-message') });
export const ScheduledMessageList = pageSchema(ref(ScheduledMessage));
export const ScheduledMessageQuery = pageQuery('-createdAt', {
  conversation: Optional(recordId('conversation', 'Only records of this conversation')),
  status: Optional(oneOf(SCHEDULED_STATUSES, 'Only records with this status')),
  created_by: Optional(recordId('user', 'Only messages that are sent in the name of this user')),
});
export type ScheduledMessageQuery = Static<typeof ScheduledMessageQuery>;
