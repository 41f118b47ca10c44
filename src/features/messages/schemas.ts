import { Type, type Static } from 'typebox';
import { CONTENT_TYPES, type InteractiveOffer } from '../../channels/content.ts';
import { CHANNEL_NAMES } from '../../channels/registry.ts';
import { FILE_TYPES, type FileType } from '../../platform/work/media/formats.ts';
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
  plain,
} from '../../platform/values/schema.ts';
import { ContactSummary } from '../contacts/schemas.ts';
import { MessageType, Origin, SenderType } from '../conversations/schemas.ts';
import { email, MailRecord } from './mail/schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// The limit of the platform. A network may take less of what goes to it (`can.maxText`).
export const MAX_TEXT = declareLimit(4_096, { topic: 'Messages', what: 'Text', unit: 'characters', beyond: '400' });

export const MessageStatus = oneOf(
  ['QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED'],
  'QUEUED, then SENT, DELIVERED, READ or FAILED; RECEIVED when it came in',
);
export type MessageStatus = Static<typeof MessageStatus>;

/** The platform's own codes for causes. BLOCKED is the company's decision, OPTED_OUT the contact's; with UNKNOWN_REFERENCE the file is gone. */
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
  'CAMPAIGN_CANCELLED',
  'UNKNOWN_REFERENCE',
] as const;
export type PlatformCause = (typeof PLATFORM_CAUSES)[number];

export const causeCode = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  description: `The network's number (131026), or one of the platform's codes: ${PLATFORM_CAUSES.join(', ')}`,
});
const open = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'The component as the network sent it',
});

export const Cause = Type.Object({
  code: causeCode,
  title: plain.text('The cause in a few words'),
  message: plain.text('The cause in a sentence'),
  details: plain.text("Details of the failure, in the network's words"),
});
export type Cause = Static<typeof Cause>;

const FailureReason = plain.object('The cause that the network reported, in Portuguese; absent if it reported none', {
  code: causeCode,
  message: plain.text('Display text in Portuguese; may change without notice'),
});
export type FailureReason = Static<typeof FailureReason>;

export const Message = define(
  'Message',
  Type.Object({
    _id: recordId('message'),
    company: recordId('company'),
    conversation: recordId('conversation'),
    contact: recordId('contact'),
    contact_summary: ref(ContactSummary, "The contact's name and identifiers"),
    inbox: recordId('inbox'),
    channel: oneOf(CHANNEL_NAMES, 'The messaging channel'),
    sender_type: SenderType,
    sender: nullable(plain.text('The user or key that sent it; for an incoming message, the contact')),
    message_type: MessageType,
    origin: Origin,
    contentType: oneOf(CONTENT_TYPES, 'The kind of content'),
    content: nullable(plain.text('The text')),
    attachment: nullable(recordId('attachment')),
    media: nullable(
      plain.object('The file of the message', {
        storage_key: nullable(plain.text('The key of the file in the store')),
        url: nullable(plain.text('The link of the file; it waits for a file that is still being fetched')),
        mimeType: nullable(plain.text('The media type')),
        fileName: nullable(plain.text('The name of the file')),
        size: nullable(plain.integer('The size in bytes')),
        error: Type.Optional(plain.text('Why the file is not available; absent otherwise')),
      }),
    ),
    template: nullable(
      plain.object('The template with its values', {
        name: plain.text('The name of the template at the network'),
        language: plain.text('The language, as a BCP 47 tag'),
        components: Type.Array(open, { description: "The values of the template's variables" }),
      }),
    ),
    interactive: nullable(
      plain.object("The contact's choice", {
        type: plain.text(
          'The kind of choice (button_reply, list_reply, nfm_reply, button, order, …) or offer (button, list, product, …)',
        ),
        id: nullable(plain.text('The id of the choice')),
        title: nullable(plain.text('The text of the choice')),
        description: nullable(plain.text('The description below it')),
        payload: nullable(plain.text("The button's payload, set by the company")),
        response: Type.Unknown({ description: 'The structured response of a flow or an order' }),
        offer: Type.Optional(
          Type.Unsafe<InteractiveOffer>({
            ...open,
            description:
              "In a message of the business: its `header` and `footer`, and in `action` the buttons, list or product that it offers. Absent in a contact's choice",
          }),
        ),
      }),
    ),
    location: nullable(
      plain.object('A place', {
        latitude: Type.Number({ description: 'Degrees north' }),
        longitude: Type.Number({ description: 'Degrees east' }),
        name: nullable(plain.text('The name of the place')),
        address: nullable(plain.text('The address of the place')),
        url: nullable(plain.text('The web address of the place')),
      }),
    ),
    contacts: nullable(Type.Array(open, { description: 'Shared contact cards, as the network sends them' })),
    referral: nullable(
      Type.Unsafe<Record<string, unknown>>({
        ...open,
        description: 'The ad that led here; `referred_product` is the product that the message is about',
      }),
    ),
    reaction: nullable(
      plain.object('The reaction to another message', {
        message: nullable(recordId('message')),
        emoji: nullable(plain.text('null: removed')),
      }),
    ),
    reply_to: nullable(recordId('message')),
    status: MessageStatus,
    errors: Type.Array(Cause, { description: 'Why the message failed, one entry for each cause' }),
    failure_reason: Type.Optional(FailureReason),
    external_id: nullable(plain.text("The network's id")),
    campaign: nullable(recordId('campaign')),
    enrollment: nullable(recordId('enrollment')),
    agent: nullable(recordId('agent')),
    forwarded: nullable(oneOf(['ONCE', 'OFTEN'], 'Forwarded from another chat')),
    unsupported: nullable(
      plain.object('For contentType UNSUPPORTED: the original content. raw is null if it is larger than 16 kB', {
        kind: plain.text("The network's name for it: poll_creation, …"),
        raw: nullable(open),
      }),
    ),
    email: nullable(MailRecord),
    mentions: Type.Array(recordId('user'), { description: 'The users mentioned in a note' }),
    is_echo: plain.flag('Whether it was written in the Business app'),
    is_test: plain.flag('Whether it belongs to the test mode of its inbox'),
    edited_at: nullable(Timestamp),
    revoked_at: nullable(Timestamp),
    sent_at: nullable({ ...Timestamp, description: 'When the network sent it; null while the network holds it back' }),
    delivered_at: nullable(Timestamp),
    read_at: nullable(Timestamp),
    failed_at: nullable(Timestamp),
    createdAt: { ...Timestamp, description: 'When it was written, however late it arrived; lists are sorted by it' },
    updatedAt: Timestamp,
  }),
);
export type Message = Static<typeof Message>;

export const MessageBody = define(
  'MessageBody',
  Type.Object({ content: nullable(plain.text('The full text; null for a message without a text')) }),
);
export type MessageBody = Static<typeof MessageBody>;
export const MessageList = pageSchema(ref(Message));
export const MessageQuery = pageQuery('createdAt', {});
export type MessageQuery = Static<typeof MessageQuery>;

export const MessageSearchQuery = pageQuery('-createdAt', {
  conversation: Type.Optional(recordId('conversation')),
  contact: Type.Optional(recordId('contact')),
  inbox: Type.Optional(recordId('inbox')),
  external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'Its id at the network' })),
  mentioned: Type.Optional(recordId('user', 'Notes that mention this user')),
  has_file: Type.Optional(plain.flag('Messages with a file, or without; only with `contact` or `conversation`')),
  search: searchParameter(
    'Words, ignoring case and accents: finds messages that contain a word beginning with each of them. The first 8,192 characters of a message are searched',
  ),
});
export type MessageSearchQuery = Static<typeof MessageSearchQuery>;
export const MessageParams = Type.Object({ id: recordId('message') });

const content = Type.String({ minLength: 1, maxLength: MAX_TEXT, ...NOT_BLANK, description: 'The text' });

/** The fields of a request's body that name the recipient. */
export const RECIPIENT = {
  conversationId: Type.Optional(
    recordId(
      'conversation',
      'Either a conversation, or `inboxId` with `contact` or `phone`, which opens a conversation if none is open',
    ),
  ),
  inboxId: Type.Optional(recordId('inbox')),
  contact: Type.Optional(recordId('contact')),
  phone: Type.Optional(writtenPhone('. If no contact has this number, one is created')),
  country: Type.Optional(PhoneCountry),
  name: Type.Optional(nullable(Name, 'The name of the contact, if it is created')),
};

export type GivenRecipient = Partial<Static<ReturnType<typeof Type.Object<typeof RECIPIENT>>>>;

const replyTo = Type.Optional(nullable(recordId('message', 'The message that it replies to')));

const unsubscribe = Type.Optional(
  plain.flag(
    'true: the message is a mass mail, such as a newsletter. Its mail has the headers with which mail ' +
      'programs offer to unsubscribe in one click. Only for EMAIL; follow-ups have them automatically',
  ),
);

export const SendText = define(
  'SendText',
  strict({
    ...RECIPIENT,
    message: plain.strict('The message to send', {
      content,
      contentType: Type.Optional(oneOf(['TEXT'], 'The kind of content')),
    }),
    replyTo,
    unsubscribe,
    email,
  }),
);
export type SendText = Static<typeof SendText>;

/** Defines the body that sends a file as a content of this type. */
const defineSendFile = (name: string, contentType: FileType) =>
  define(
    name,
    strict({
      ...RECIPIENT,
      message: plain.strict('The message to send', {
        attachment: recordId('attachment', 'The uploaded file'),
        content: Type.Optional(
          nullable(Type.String({ maxLength: MAX_TEXT, description: 'The caption, on channels that support captions' })),
        ),
        contentType: Type.Optional(oneOf([contentType], 'The kind of content')),
      }),
      replyTo,
      unsubscribe,
      email,
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
    message: plain.strict('The note', {
      content: Type.Optional(
        Type.Unsafe<string>({ ...content, description: 'The text. Required without `attachment`' }),
      ),
      attachment: Type.Optional(recordId('attachment', 'An uploaded file')),
      contentType: Type.Optional(
        oneOf(['TEXT', ...FILE_TYPES], 'TEXT, or the kind of file; by default the `file_type` of the attachment'),
      ),
    }),
    mentions: Type.Optional(
      Type.Array(recordId('user'), {
        maxItems: 20,
        uniqueItems: true,
        description: 'Users mentioned in the note; they find it with GET /v1/messages?mentioned=<id>',
      }),
    ),
  }),
);
export type WriteNote = Static<typeof WriteNote>;
