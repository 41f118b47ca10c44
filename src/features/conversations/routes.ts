import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { CSV_ANSWER } from '../../platform/http/download.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import {
  countConversationViews,
  expectConversation,
  markConversationRead,
  markConversationUnread,
} from './conversations.ts';
import { ConversationCounts } from './counts/schemas.ts';
import { exportConversations } from './export.ts';
import { pageHistory } from './history/history.ts';
import { HistoryList, HistoryQuery } from './history/schemas.ts';
import { pageConversations } from './list.ts';
import { openConversation } from './open.ts';
import {
  Conversation,
  ConversationCreate,
  ConversationExportQuery,
  ConversationList,
  ConversationParams,
  ConversationQuery,
  ConversationUpdate,
  StepChange,
} from './schemas.ts';
import { moveConversation, updateConversationById } from './update.ts';

export function conversationRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('conversations', 'Threads with a contact in an inbox');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/conversations',
    scope: 'conversations:create',
    summary: 'Open a conversation with a contact, or with a phone number',
    description:
      "No message is sent. Returns 201, or 200 with the contact's conversation in this inbox if one is already " +
      'open (with any status but CLOSED), or was reopened because the inbox continues closed conversations ' +
      '(`reopen_days`). Such a conversation gets the owner and agent given in the request, ' +
      'and otherwise keeps its own.',
    body: ref(ConversationCreate),
    answers: { 201: ref(Conversation), 200: ref(Conversation) },
    errors: ['QUOTA_EXCEEDED'],
    handler: async (tenant, { body, reply }) => {
      const { conversation, opened } = await openConversation(tenant, body);
      reply.code(opened ? 201 : 200);
      return conversation;
    },
    again: (tenant, id) => expectConversation(tenant.read, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/conversations',
    scope: 'conversations:read',
    summary: 'List conversations',
    description:
      'The filters can be combined. `sort=-last_message_at` lists those with the newest message first, `sort=waiting_since` only those whose contact waits, the longest first, ' +
      'and `sort=-priority` the most urgent first.',
    query: ConversationQuery,
    errors: ['UNKNOWN_REFERENCE'],
    answers: { 200: ConversationList },
    handler: (tenant, { query }) => pageConversations(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/conversations/counts',
    scope: 'conversations:read',
    summary: 'Count the conversations of each view',
    description:
      'Each number is the totalCount of GET /v1/conversations with the filters in brackets. Inboxes and steps without an open conversation are omitted.',
    answers: { 200: ref(ConversationCounts) },
    handler: countConversationViews,
  });
  recordRoutes(app, kit);
  changeRoutes(app, kit);
  exportRoute(app, kit);
}

function exportRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/conversations/export',
    scope: 'conversations:read',
    summary: 'Export conversations as CSV',
    description:
      'The conversations that GET /v1/conversations lists with these filters, the newest first, with one column per ' +
      'custom field. Inbox, owner, team, agent and step are written by id and by name. A text that a spreadsheet would read as a formula is prefixed with an apostrophe, except plain ' +
      'numbers and phone numbers.',
    query: ConversationExportQuery,
    errors: ['UNKNOWN_REFERENCE'],
    answers: { 200: CSV_ANSWER },
    handler: (tenant, { query, reply }) => exportConversations(kit, tenant, query, reply),
  });
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/conversations/:id',
    scope: 'conversations:read',
    summary: 'Read a conversation',
    description:
      'Returns the conversation with its last message and a summary of its contact. Conversation events use the same format.',
    params: ConversationParams,
    answers: { 200: ref(Conversation) },
    handler: (tenant, { params }) => expectConversation(tenant.read, params.id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/conversations/:id/history',
    scope: 'conversations:read',
    summary: 'List the history of a conversation',
    description:
      'Each change of its status, snooze, priority, owner, attendant, handling, agent, step and tags, with who made it. ' +
      'Changes made together are one entry. Messages are not included.',
    params: ConversationParams,
    query: HistoryQuery,
    answers: { 200: HistoryList },
    handler: (tenant, { params, query }) => pageHistory(tenant, params.id, query),
  });
}

function changeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/conversations/:id',
    scope: 'conversations:update',
    summary: 'Change a conversation: status, priority, people, agent, step, tags, custom fields',
    description:
      'Emits CONVERSATION_UPDATED if anything changes; a new step also emits CONVERSATION_STEP_CHANGED, and a ' +
      'custom field FIELD_UPDATED. Clearing the step with null emits no CONVERSATION_STEP_CHANGED. CLOSED sets ' +
      'closed_at; any other status reopens the conversation. Setting an agent does not change handled_by; ' +
      'removing the agent changes handled_by from AI to NONE.',
    params: ConversationParams,
    body: ref(ConversationUpdate),
    answers: { 200: ref(Conversation) },
    errors: ['CONVERSATION_OPEN', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateConversationById(kit, tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/conversations/:id/step',
    scope: 'conversations:update',
    summary: 'Move a conversation to a pipeline step',
    description: 'Emits only CONVERSATION_STEP_CHANGED, and nothing if the conversation is already in this step.',
    params: ConversationParams,
    body: ref(StepChange),
    answers: { 200: ref(Conversation) },
    handler: (tenant, { params, body }) => moveConversation(tenant, params.id, body.step),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/conversations/:id/read',
    scope: 'conversations:update',
    summary: 'Mark a conversation as read',
    description: 'Sets unread_count to 0 and, if the network supports read receipts, sends them to the contact.',
    params: ConversationParams,
    answers: { 200: ref(Conversation) },
    handler: (tenant, { params }) => markConversationRead(kit, tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/conversations/:id/unread',
    scope: 'conversations:update',
    summary: 'Mark a conversation as unread',
    description:
      'Sets unread_count to 1 if it is 0, so that the conversation is found among the unread ones again. Read receipts that the contact has are not taken back. A conversation without a message of the contact stays unchanged.',
    params: ConversationParams,
    answers: { 200: ref(Conversation) },
    handler: (tenant, { params }) => markConversationUnread(kit, tenant, params.id),
  });
}
