import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { operation } from '../../platform/route.ts';
import { ref } from '../../platform/schema.ts';
import { ConversationParams } from '../conversations/schemas.ts';
import { pageMessages, readMessage, writeNote } from './messages.ts';
import { Message, MessageList, MessageParams, MessageQuery, SendText, WriteNote } from './schemas.ts';
import { sendText } from './send.ts';

export function messageRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/messages/conversation/:id',
    scope: 'messages:read',
    summary: "List a conversation's messages",
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
    params: MessageParams,
    answers: { 200: ref(Message) },
    handler: (tenant, { params }) => readMessage(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/messages/send-text',
    scope: 'messages:create',
    summary: 'Send a text',
    description:
      'Stores the message, calls the network, and answers with the state that the call left it in: SENT, FAILED with its cause, or QUEUED when the outcome is not known. A closed conversation is opened again.',
    body: ref(SendText),
    answers: { 201: ref(Message) },
    errors: ['CONVERSATION_OPEN', 'QUOTA_EXCEEDED', 'UNKNOWN_REFERENCE'],
    handler: (tenant, { body }) => sendText(kit, tenant, body),
    again: readMessage,
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/messages/note',
    scope: 'messages:create',
    summary: 'Write a note for the team',
    body: ref(WriteNote),
    answers: { 201: ref(Message) },
    errors: ['UNKNOWN_REFERENCE', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => writeNote(tenant, body),
    again: readMessage,
  });
}
