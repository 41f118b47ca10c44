import { Type, type Static } from 'typebox';
import { CONTENT_TYPES, type InteractiveOffer } from '../../channels/content.ts';
import { CHANNEL_NAMES } from '../../channels/registry.ts';
import type { FileType } from '../../platform/work/media/formats.ts';
import { pageSchema, pageQuery, searchParameter } from '../../platform/store/paging.ts';
import {
  define,
  Name,
  NOT_BLANK,
  nullable,
  oneOf,
  PhoneCountry,
  recordId,
  ref,
  strict,
  Timestamp,
  writtenPhone,
} from '../../platform/values/schema.ts';
import { ContactSummary } from '../contacts/schemas.ts';
import { MESSAGE_TYPES, ORIGINS, SENDER_TYPES } from '../conversations/schemas.ts';

// The WhatsApp Cloud API accepts texts of at most this length.
export const MAX_TEXT = 4_096;

export const MESSAGE_STATUSES = ['QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** The platform's own codes for causes. BLOCKED is the company's decision about a contact, OPTED_OUT the contact's own decision. */
const PLATFORM_CAUSES = [
  'WINDOW_EXPIRED',
  'DAILY_LIMIT',
  'RATE_LIMITED',
  'TEST_MODE_BLOCKED',
  'OPTED_OUT',
  'BLOCKED',
  'INBOX_INACTIVE',
  'PROVIDER_UNREACHABLE',
  'PROVIDER_REJECTED',
] as const;
export type PlatformCause = (typeof PLATFORM_CAUSES)[number];

const cause = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  description: `The network's number (131026), or one of the platform's words: ${PLATFORM_CAUSES.join(', ')}`,
});
const text = nullable(Type.String());
const open = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

export const Cause = Type.Object({ code: cause, title: Type.String(), message: Type.String(), details: Type.String() });
export type Cause = Static<typeof Cause>;

const FailureReason = Type.Object({
  code: cause,
  message: Type.String({ description: 'Display text in Portuguese; may change without notice' }),
});
export type FailureReason = Static<typeof FailureReason>;

export const Message = define(
  'Message',
  Type.Object({
    _id: recordId('message'),
    company: recordId('company'),
    conversation: recordId('conversation'),
    contact: recordId('contact'),
    contact_summary: ref(ContactSummary),
    inbox: recordId('inbox'),
    channel: oneOf(CHANNEL_NAMES),
    sender_type: oneOf(SENDER_TYPES),
    sender: nullable(Type.String({ description: 'The user or key that sent it; the contact of an incoming one' })),
    message_type: oneOf(MESSAGE_TYPES),
    origin: oneOf(ORIGINS),
    contentType: oneOf(CONTENT_TYPES),
    content: text,
    attachment: nullable(recordId('attachment')),
    media: nullable(
      Type.Object({
        storage_key: text,
        url: nullable(
          Type.String({ description: 'The link of the file; it waits for a file that is still on its way' }),
        ),
        mimeType: text,
        fileName: text,
        size: nullable(Type.Integer()),
        error: Type.Optional(Type.String({ description: 'Why the file can not be had; absent otherwise' })),
      }),
    ),
    template: nullable(Type.Object({ name: Type.String(), language: Type.String(), components: Type.Array(open) })),
    interactive: nullable(
      Type.Object({
        type: Type.String({
          description:
            'What was chosen: button_reply, list_reply, nfm_reply, button, order, …; what is offered: button, list, product, …',
        }),
        id: text,
        title: text,
        description: text,
        payload: text,
        response: Type.Unknown({ description: "A flow's or an order's structured answer" }),
        offer: Type.Optional(
          Type.Unsafe<InteractiveOffer>({
            ...open,
            description:
              'What the business offers under its text: `header`, `footer` and `action`. Absent in what a contact chose',
          }),
        ),
      }),
    ),
    location: nullable(
      Type.Object({ latitude: Type.Number(), longitude: Type.Number(), name: text, address: text, url: text }),
    ),
    contacts: nullable(Type.Array(open, { description: 'Shared contact cards, as the network sends them' })),
    referral: nullable(
      Type.Unsafe<Record<string, unknown>>({
        ...open,
        description: 'The advertisement that led here; `referred_product` is the product that the message is about',
      }),
    ),
    reaction: nullable(
      Type.Object({
        message: nullable(recordId('message')),
        emoji: nullable(Type.String({ description: 'null: taken back' })),
      }),
    ),
    reply_to: nullable(recordId('message')),
    status: oneOf(MESSAGE_STATUSES),
    errors: Type.Array(Cause),
    failure_reason: Type.Optional(FailureReason),
    external_id: nullable(Type.String({ description: "The network's id" })),
    campaign: nullable(recordId('campaign')),
    enrollment: nullable(recordId('enrollment')),
    agent: nullable(recordId('agent')),
    forwarded: nullable(oneOf(['ONCE', 'OFTEN'], { description: 'Passed on from another chat' })),
    unsupported: nullable(
      Type.Object(
        {
          kind: Type.String({ description: 'What the network calls it: poll_creation, …' }),
          raw: nullable(open),
        },
        { description: 'Of contentType UNSUPPORTED: what came. raw is null where it is larger than 16 kB' },
      ),
    ),
    email: nullable(
      Type.Object(
        {
          subject: text,
          to: Type.Array(Type.String()),
          cc: Type.Array(Type.String()),
          is_shortened: Type.Boolean({
            description:
              'Whether `content` leaves out quoted mails, a signature or the rest of a long mail; `GET /v1/messages/{id}/body` has the whole text',
          }),
        },
        {
          description: 'Of the first message of a received mail: its subject, and at most ten recipients of each kind',
        },
      ),
    ),
    mentions: Type.Array(recordId('user'), { description: 'The users whom a note mentions' }),
    is_echo: Type.Boolean(),
    is_test: Type.Boolean(),
    edited_at: nullable(Timestamp),
    revoked_at: nullable(Timestamp),
    sent_at: nullable(
      Type.String({
        ...Timestamp,
        description:
          'When the network took it to be sent; null before, and while a message is SENT that the network holds back',
      }),
    ),
    delivered_at: nullable(Timestamp),
    read_at: nullable(Timestamp),
    failed_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Message = Static<typeof Message>;

export const MessageBody = define(
  'MessageBody',
  Type.Object({ content: nullable(Type.String({ description: 'The whole text; null for a message without a text' })) }),
);
export type MessageBody = Static<typeof MessageBody>;

export const MessageList = pageSchema(ref(Message));
export const MessageQuery = pageQuery('createdAt', {});
export type MessageQuery = Static<typeof MessageQuery>;

export const MessageSearchQuery = pageQuery('-createdAt', {
  conversation: Type.Optional(recordId('conversation')),
  contact: Type.Optional(recordId('contact')),
  inbox: Type.Optional(recordId('inbox')),
  mentioned: Type.Optional(recordId('user', { description: 'Notes that mention this user' })),
  search: searchParameter(
    'Words, whatever their case and accents: messages that have words which begin with each of them. The first 8,192 characters of a message are searched',
  ),
});
export type MessageSearchQuery = Static<typeof MessageSearchQuery>;
export const MessageParams = Type.Object({ id: recordId('message') });

const content = Type.String({ minLength: 1, maxLength: MAX_TEXT, ...NOT_BLANK });

/** The fields of a request's body that name the recipient. */
export const RECIPIENT = {
  conversationId: Type.Optional(
    recordId('conversation', {
      description: 'Either a conversation, or `inboxId` with `contact` or `phone`, where it is opened if none is open',
    }),
  ),
  inboxId: Type.Optional(recordId('inbox')),
  contact: Type.Optional(recordId('contact')),
  phone: Type.Optional(writtenPhone('. A contact is created when none has this number')),
  country: Type.Optional(PhoneCountry),
  name: Type.Optional(
    Type.Unsafe<string | null>({ ...nullable(Name), description: 'The name of the contact, if it is created' }),
  ),
};

export type GivenRecipient = Partial<Static<ReturnType<typeof Type.Object<typeof RECIPIENT>>>>;

const replyTo = Type.Optional(nullable(recordId('message', { description: 'The message that it answers' })));

const unsubscribe = Type.Optional(
  Type.Boolean({
    description:
      'true: the message is one that many get, such as a newsletter. Its mail has the headers by which mail programs offer to unsubscribe in one click. Only for EMAIL; follow-ups have them by themselves',
  }),
);

export const SendText = define(
  'SendText',
  strict({
    ...RECIPIENT,
    message: strict({ content, contentType: Type.Optional(oneOf(['TEXT'])) }),
    replyTo,
    unsubscribe,
  }),
);
export type SendText = Static<typeof SendText>;

/** Defines the body that sends a file as a content of this type. */
const defineSendFile = (name: string, contentType: FileType) =>
  define(
    name,
    strict({
      ...RECIPIENT,
      message: strict({
        attachment: recordId('attachment', { description: 'The uploaded file' }),
        content: Type.Optional(
          nullable(Type.String({ maxLength: MAX_TEXT, description: 'The caption, on channels that show one' })),
        ),
        contentType: Type.Optional(oneOf([contentType])),
      }),
      replyTo,
      unsubscribe,
    }),
  );

/** The bodies that send files. */
export const SEND_FILE = {
  IMAGE: defineSendFile('SendImage', 'IMAGE'),
  AUDIO: defineSendFile('SendAudio', 'AUDIO'),
  VIDEO: defineSendFile('SendVideo', 'VIDEO'),
  DOCUMENT: defineSendFile('SendDocument', 'DOCUMENT'),
  STICKER: defineSendFile('SendSticker', 'STICKER'),
} as const satisfies Record<FileType, unknown>;
export type SendFile = Static<(typeof SEND_FILE)[FileType]>;

export const WriteNote = define(
  'WriteNote',
  strict({
    conversationId: recordId('conversation'),
    message: strict({ content, contentType: Type.Optional(oneOf(['TEXT'])) }),
    mentions: Type.Optional(
      Type.Array(recordId('user'), {
        maxItems: 20,
        uniqueItems: true,
        description: 'Users whom the note mentions; they find it by GET /v1/messages?mentioned=<id>',
      }),
    ),
  }),
);
export type WriteNote = Static<typeof WriteNote>;
