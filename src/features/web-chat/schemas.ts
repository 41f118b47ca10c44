/** What visitors of a web chat send and receive. docs/web-chat.md describes it for sites that build a chat of their own. */
import type { Readable } from 'node:stream';
import { Type, type Static } from 'typebox';
import { CONTENT_TYPES } from '../../channels/content.ts';
import { Id, NOT_BLANK, nullable, oneOf, strict, Timestamp, WEB_ADDRESS, plain } from '../../platform/values/schema.ts';
import { FilePart } from '../../platform/http/multipart.ts';
import { MAX_TEXT, MessageStatus } from '../messages/schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const anyText = nullable(Type.String());

const FieldValue = Type.Unsafe<string | number | boolean | string[] | null>({
  anyOf: [
    { type: 'string', maxLength: 4_096 },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 200 } },
    { type: 'null' },
  ],
});
/** Values of custom fields by their slug, and answers to questions by their key. */
export const FieldValues = Type.Record(Type.String({ maxLength: 64 }), FieldValue, { maxProperties: 50 });
export type FieldValues = Static<typeof FieldValues>;

/** What a site says of its visitor. */
export const Identity = Type.Object({
  sub: Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK }),
  exp: Type.Number(),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK })),
  email: Type.Optional(Type.String({ maxLength: 254, format: 'email' })),
  custom_fields: Type.Optional(FieldValues),
});
export type Identity = Static<typeof Identity>;

export const SiteParams = Type.Object({ inbox: Type.String({ maxLength: 64 }) });

const ClientId = Type.String({
  format: 'uuid',
  maxLength: 36,
  description: "The visitor's own id of the message: repeating it stores nothing",
});

export const WebQuestion = Type.Object({
  key: plain.text('The key with which the first message answers it'),
  kind: oneOf(['NAME', 'EMAIL', 'CUSTOM_FIELD']),
  title: anyText,
  type: Type.String(),
  options: Type.Array(Type.String()),
  required: Type.Boolean(),
});
export type WebQuestion = Static<typeof WebQuestion>;

/** How the chat looks, for everybody who opens the page. */
export const WebSite = Type.Object({
  inbox: Id,
  title: Type.String(),
  color: Type.String(),
  position: oneOf(['LEFT', 'RIGHT']),
  avatar_url: anyText,
  welcome_text: anyText,
  quick_replies: Type.Array(Type.String()),
  language: anyText,
  availability: Type.Object({ is_open: Type.Boolean(), opens_at: nullable(Timestamp), away_text: anyText }),
  questions: Type.Array(WebQuestion),
  identity_required: Type.Boolean(),
  max_file_bytes: Type.Integer(),
});
export type WebSite = Static<typeof WebSite>;

export const SessionStart = strict({
  identity: Type.Optional(
    Type.String({ minLength: 1, description: 'A JWT with which the site identifies the visitor' }),
  ),
});

export const WebSession = Type.Object({
  token: Type.String(),
  expires_at: Timestamp,
  visitor: plain.text("If it differs from before, the page shows another person's messages"),
  is_known: Type.Boolean(),
  name: anyText,
  has_conversation: Type.Boolean(),
  unread_count: Type.Integer(),
});
export type WebSession = Static<typeof WebSession>;

export const WebMessage = Type.Object({
  _id: Id,
  client_id: nullable(plain.text('Only for messages that the visitor has written here')),
  author: Type.Object({ kind: oneOf(['VISITOR', 'OPERATOR', 'AGENT', 'SYSTEM']), name: anyText, avatar_url: anyText }),
  contentType: oneOf(CONTENT_TYPES),
  content: anyText,
  media: nullable(Type.Object({ url: anyText, mimeType: anyText, fileName: anyText, size: nullable(Type.Integer()) })),
  location: nullable(
    Type.Object({ latitude: Type.Number(), longitude: Type.Number(), name: anyText, address: anyText }),
  ),
  buttons: Type.Array(Type.Object({ id: Type.String(), title: Type.String() })),
  reply_to: nullable(Id),
  status: MessageStatus,
  is_revoked: Type.Boolean(),
  createdAt: Timestamp,
});
export type WebMessage = Static<typeof WebMessage>;

const MAX_PAGE = declareLimit(100, { topic: 'Web chat', what: 'Messages per page', beyond: '400' });
export const WebMessagesQuery = strict(
  {
    before: Type.Optional(Id),
    after: Type.Optional(Id),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 50 })),
  },
  { required: [] },
);
export type WebMessagesQuery = Static<typeof WebMessagesQuery>;

export const WebMessages = Type.Object({
  result: Type.Array(WebMessage, { description: 'Oldest first' }),
  has_more: Type.Boolean(),
  unseen_count: plain.integer("How many of the visitor's newest messages the company has not read"),
});
export type WebMessages = Static<typeof WebMessages>;

/** They come with the first message, a text or a file. */
const Answers = Type.Optional(FieldValues);

export const WriteMessage = strict({
  client_id: ClientId,
  content: Type.String({ minLength: 1, maxLength: MAX_TEXT, ...NOT_BLANK }),
  reply_to: Type.Optional(nullable(Id)),
  button: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'The id of a button of the message in reply_to' }),
  ),
  page: Type.Optional(
    strict({
      url: Type.String({ maxLength: 2_048, ...WEB_ADDRESS }),
      title: Type.Optional(Type.String({ maxLength: 300 })),
    }),
  ),
  answers: Answers,
});
export type WriteMessage = Static<typeof WriteMessage>;

export const SendFile = strict({
  client_id: ClientId,
  content: Type.Optional(Type.String({ maxLength: MAX_TEXT })),
  answers: Answers,
  file: FilePart,
});
export type SendFile = Static<typeof SendFile>;

export const Typing = strict({ state: oneOf(['TYPING', 'IDLE']) });
export const Done = Type.Object({ ok: Type.Boolean() });

/** The stream of a visitor, which docs/web-chat.md describes. */
export const VISITOR_EVENTS = Type.Unsafe<Readable>({ content: { 'text/event-stream': { schema: {} } } });

export const Receipts = strict({ delivered_to: Type.Optional(Id), read_to: Type.Optional(Id) });
export type Receipts = Static<typeof Receipts>;
export const UnreadCount = Type.Object({ unread_count: Type.Integer() });
