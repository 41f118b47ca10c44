import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { FILE_TYPES, type FileType } from '../../platform/work/media/formats.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { ConversationParams } from '../conversations/schemas.ts';
import { describeFormats } from './format-words.ts';
import { pageMessages, readMessage, readMessageBody, writeNote } from './messages.ts';
import {
  Message,
  MessageBody,
  MessageList,
  MessageParams,
  MessageQuery,
  MessageSearchQuery,
  SEND_FILE,
  SendText,
  WriteNote,
} from './schemas.ts';
import { revokeMessage } from './revoke.ts';
import { searchMessages } from './search.ts';
import { SendContent } from './content/schemas.ts';
import { sendContent } from './content/send-content.ts';
import { sendFile, sendText } from './send.ts';
import { TRANSCRIPT_ANSWER, TranscriptQuery } from './transcript/schemas.ts';
import { sendTranscript } from './transcript/transcript.ts';

export function messageRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('messages', 'Reading, sending, notes');
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/messages',
    scope: 'messages:read',
    summary: 'List and search the messages of the company',
    description:
      'Includes notes. GET /v1/messages/conversation/{id} reads one conversation faster. A page of a `search` with `skipCount` and without `page` can have fewer messages than `limit`, even none, while `hasNextPage` is true: the search has not looked at all messages yet, and goes on with `nextCursor`.',
    query: MessageSearchQuery,
    answers: { 200: MessageList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => searchMessages(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/messages/conversation/:id',
    scope: 'messages:read',
    summary: "List a conversation's messages",
    description: "Oldest message first, unless `sort` says otherwise. Includes the team's notes.",
    params: ConversationParams,
    query: MessageQuery,
    answers: { 200: MessageList },
    handler: (tenant, { params, query }) => pageMessages(tenant, params.id, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/messages/:id',
    scope: 'messages:read',
    summary: 'Read a message',
    description:
      'Returns the message with its status and, if it is FAILED, the cause in `errors`. Message events use the same format.',
    params: MessageParams,
    answers: { 200: ref(Message) },
    handler: (tenant, { params }) => readMessage(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/messages/:id/body',
    scope: 'messages:read',
    summary: 'Read the full text of a message',
    description:
      'For a mail whose `email.is_shortened` is true: its text with quoted mails and signature, up to 262,144 ' +
      'characters, with HTML converted to text. For any other message, its `content`.',
    params: MessageParams,
    answers: { 200: ref(MessageBody) },
    handler: (tenant, { params }) => readMessageBody(tenant, params.id),
  });
  transcriptRoutes(app, kit);
}

/** The transcript, and what writes messages. */
function transcriptRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/conversations/:id/transcript',
    scope: 'messages:read',
    summary: 'Download the transcript of a conversation',
    description:
      'All messages of the conversation with their authors and times, the oldest first, as a text or an HTML page. ' +
      "A file is shown by its name. The team's notes are included only with `notes=true`.",
    params: ConversationParams,
    query: TranscriptQuery,
    answers: { 200: TRANSCRIPT_ANSWER },
    handler: (tenant, { params, query, reply }) => sendTranscript(kit, tenant, params.id, { query, reply }),
  });
  writeRoutes(app, kit);
}

function writeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/messages/send-text',
    scope: 'messages:create',
    summary: 'Send a text',
    description:
      'Stores the message, calls the network, and returns the message with its status after the call: SENT, ' +
      'FAILED with its cause, or QUEUED if the outcome is unknown. A closed conversation is reopened. With ' +
      '`inboxId` and `contact` or `phone`, the message goes into their open conversation, or opens one.',
    body: ref(SendText),
    answers: { 201: ref(Message) },
    errors: ['CONVERSATION_OPEN', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => sendText(kit, tenant, body),
    again: readMessage,
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/messages/send-content',
    scope: 'messages:create',
    summary: 'Send a place, contact cards, a reaction or an offer to choose from',
    description:
      'Like `send-text`. Not every channel sends each of these contents; the answer is then CONTENT_NOT_SUPPORTED. Networks allow shorter texts in some places. A REACTION needs `conversationId`, replaces the earlier reaction to its message, and does not reopen the conversation.',
    body: ref(SendContent),
    answers: { 201: ref(Message) },
    errors: ['CONTENT_NOT_SUPPORTED', 'CONVERSATION_OPEN', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => sendContent(kit, tenant, body),
    again: readMessage,
  });
  revokeRoute(app, kit);
  for (const contentType of FILE_TYPES) fileRoute(app, kit, contentType);
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/messages/note',
    scope: 'notes:create',
    action: 'messages.create',
    summary: 'Write a note for the team',
    description:
      'A note is stored in the conversation and not sent to anyone. It has a text, a file of any type, or both. Users mentioned in it find it with `GET /v1/messages?mentioned=<id>`.',
    body: ref(WriteNote),
    answers: { 201: ref(Message) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => writeNote(kit, tenant, body),
    again: readMessage,
  });
}

function revokeRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/messages/:id/revoke',
    scope: 'messages:create',
    action: 'messages.revoke',
    summary: 'Delete a sent message for everyone',
    description:
      'Deletes the message at the network, and then its content here; `revoked_at` is set, and MESSAGE_REVOKED is emitted. A message that is deleted already is returned unchanged. Possible for PARTNER_API with a paired phone, and for WEB_V2.',
    params: MessageParams,
    answers: { 201: ref(Message) },
    errors: ['MESSAGE_NOT_REVOCABLE', 'NETWORK_REFUSED'],
    handler: (tenant, { params }) => revokeMessage(kit, tenant, params.id),
    again: readMessage,
  });
}

/** The operations that send files. `converted`: what is not sent as it is. */
const FILE_OPERATIONS: Readonly<Record<FileType, { path: string; summary: string; converted?: string }>> = {
  IMAGE: {
    path: '/v1/messages/send-image',
    summary: 'Send a picture',
    converted:
      'A still WEBP or GIF and a picture in CMYK or with 16 bits are converted for channels that do not accept them.',
  },
  AUDIO: {
    path: '/v1/messages/send-audio',
    summary: 'Send audio',
    converted:
      'On networks with voice notes, OGG is shown as one. Recordings from browsers (Opus in WEBM or MP4) are converted to OGG for this.',
  },
  VIDEO: { path: '/v1/messages/send-video', summary: 'Send a video' },
  DOCUMENT: { path: '/v1/messages/send-document', summary: 'Send a document' },
  STICKER: { path: '/v1/messages/send-sticker', summary: 'Send a sticker' },
};

function fileRoute(app: FastifyInstance, kit: Kit, contentType: FileType): void {
  const { path, summary, converted = '' } = FILE_OPERATIONS[contentType];
  operation(app, kit.access, {
    method: 'POST',
    path,
    scope: 'messages:create',
    summary,
    description:
      `Like \`send-text\`, with the file of an attachment. ${describeFormats(contentType)} ${converted}`.trim(),
    body: ref(SEND_FILE[contentType]),
    answers: { 201: ref(Message) },
    errors: ['CONTENT_NOT_SUPPORTED', 'CONVERSATION_OPEN', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => sendFile(kit, tenant, contentType, body),
    again: readMessage,
  });
}
