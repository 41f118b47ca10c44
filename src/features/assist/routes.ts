import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Kit } from '../../kit.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { operation } from '../../platform/http/route.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import type { ErrorCode } from '../../platform/values/errors.ts';
import { ref } from '../../platform/values/schema.ts';
import { ConversationParams } from '../conversations/schemas.ts';
import { MessageParams } from '../messages/schemas.ts';
import { draftReply, rewrite, summarize, translateMessage, type Asking } from './assist.ts';
import { createAssistPlaces } from './places.ts';
import {
  AssistSettings,
  AssistSettingsUpdate,
  Draft,
  Rewrite,
  RewriteAsked,
  Summary,
  SummaryAsked,
  Translation,
  TranslationAsked,
} from './schemas.ts';
import { readSettings, updateSettings } from './settings.ts';

const ERRORS: ErrorCode[] = ['AI_NOT_ENABLED', 'AI_FAILED'];
const COUNTED = "It counts toward the tokens of the company's agents, and the audit shows its cost.";

export function assistRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/agents/assist',
    scope: 'agents:read',
    summary: 'Read the settings of AI assist',
    description: 'Which agent writes for users, and what they can ask of it. It is off by default.',
    answers: { 200: ref(AssistSettings) },
    handler: ({ read }) => readSettings(kit, read),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/agents/assist',
    scope: 'agents:update',
    action: 'assist.update',
    summary: 'Change the settings of AI assist',
    description: 'With `agent` null, AI assist is off. It is also off once the agent is removed or INACTIVE.',
    body: ref(AssistSettingsUpdate),
    answers: { 200: ref(AssistSettings) },
    handler: (tenant, { body }) => updateSettings(kit, tenant, body),
  });
  useRoutes(app, kit);
}

function useRoutes(app: FastifyInstance, kit: Kit): void {
  const admit = createAssistPlaces();
  const ask = (tenant: Tenant, reply: FastifyReply): Asking => ({
    kit,
    tenant,
    signal: hangUpSignal(reply),
    admit: () => admit(tenant.companyId, reply),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/conversations/:id/draft',
    scope: 'messages:create',
    needs: [{ scopes: ['messages:read', 'knowledge:read'] }],
    action: 'conversations.draft',
    summary: 'Draft a reply with AI',
    description: `Writes what the company could reply, from the conversation and the knowledge of the agent. Nothing is sent. ${COUNTED}`,
    params: ConversationParams,
    answers: { 200: ref(Draft) },
    errors: ERRORS,
    handler: (tenant, { params, reply }) => draftReply(ask(tenant, reply), params.id),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/conversations/:id/rewrite',
    scope: 'messages:create',
    action: 'conversations.rewrite',
    summary: 'Rewrite or translate a text with AI before it is sent',
    description: `Changes the style of a text, or translates it. Nothing is sent. ${COUNTED}`,
    params: ConversationParams,
    body: ref(RewriteAsked),
    answers: { 200: ref(Rewrite) },
    errors: ERRORS,
    handler: (tenant, { params, body, reply }) => rewrite(ask(tenant, reply), params.id, body),
  });
  readingRoutes(app, kit, ask);
}

function readingRoutes(app: FastifyInstance, kit: Kit, ask: (tenant: Tenant, reply: FastifyReply) => Asking): void {
  const needs = [{ scopes: ['messages:read'] as const }];
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/conversations/:id/summarize',
    scope: 'messages:create',
    needs,
    action: 'conversations.summarize',
    summary: 'Summarize a conversation with AI',
    description: `Reads the last 100 messages, without notes. The summary is not stored. ${COUNTED}`,
    params: ConversationParams,
    body: ref(SummaryAsked),
    answers: { 200: ref(Summary) },
    errors: ERRORS,
    handler: (tenant, { params, body, reply }) => summarize(ask(tenant, reply), params.id, body),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/messages/:id/translate',
    scope: 'messages:create',
    needs,
    action: 'messages.translate',
    summary: 'Translate a message with AI',
    description: `The translation is not stored. ${COUNTED}`,
    params: MessageParams,
    body: ref(TranslationAsked),
    answers: { 200: ref(Translation) },
    errors: ERRORS,
    handler: (tenant, { params, body, reply }) => translateMessage(ask(tenant, reply), params.id, body),
  });
}
