import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { operation } from '../../platform/route.ts';
import { ref } from '../../platform/schema.ts';
import { markConversationRead, readConversation } from './conversations.ts';
import { Conversation, ConversationParams } from './schemas.ts';

const tag = 'conversations';

export function conversationRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/conversations/:id',
    scope: 'conversations:read',
    tag,
    summary: 'Read a conversation',
    params: ConversationParams,
    answers: { 200: ref(Conversation) },
    handler: (tenant, { params }) => readConversation(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/conversations/:id/read',
    scope: 'conversations:update',
    tag,
    summary: 'Mark a conversation as read',
    description: 'Sets unread_count to 0 and, where the network knows read marks, shows them to the contact.',
    params: ConversationParams,
    answers: { 200: ref(Conversation) },
    handler: (tenant, { params }) => markConversationRead(kit, tenant, params.id),
  });
}
