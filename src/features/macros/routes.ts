import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { readRequestOrigin } from '../../platform/http/access.ts';
import { declareTag } from '../../platform/http/description.ts';
import type { Need } from '../../platform/http/needs.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { Conversation, ConversationParams } from '../conversations/schemas.ts';
import { actionNeeds } from './actions.ts';
import { ConversationRun } from '../conversations/bulk/schemas.ts';
import {
  createMacro,
  findVisible,
  pageMacros,
  readMacro,
  readRunConversation,
  removeMacro,
  runMacro,
  updateMacroById,
} from './macros.ts';
import { readMacroRun, runMacroInMany } from './runs.ts';
import {
  Macro,
  MacroCreate,
  MacroList,
  MacroParams,
  MacroQuery,
  MacroRun,
  MacroRunMany,
  MacroUpdate,
  type Actions,
} from './schemas.ts';

const RIGHTS = 'Only its owner can see and change a personal macro. Owners and admins can change a shared one.';

const SHARED = { scopes: ['messages:update'], when: 'for a macro shared by the company' } as const;
const NEEDS_TO_CHANGE: Need<{ params: { id: string } }> = {
  ...SHARED,
  arises: async (tenant, { params }) => (await findVisible(tenant, params.id))?.owner === null,
};
const givenActions = actionNeeds<{ body: { actions?: Actions } }>((_tenant, { body }) => body.actions ?? null);

export function macroRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('macros', 'Actions on a conversation that users make with one click');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/macros',
    scope: 'conversations:update',
    needs: [{ ...SHARED, arises: (_tenant, { body: { owner = null } }) => owner === null }, ...givenActions],
    action: 'macros.create',
    summary: 'Create a macro',
    description: RIGHTS,
    body: ref(MacroCreate),
    answers: { 201: ref(Macro) },
    errors: ['UNKNOWN_REFERENCE', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => createMacro(tenant, body),
    again: readMacro,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/macros',
    scope: 'conversations:read',
    summary: "List the company's macros and the caller's own",
    description: 'Personal ones of other users are not shown.',
    query: MacroQuery,
    answers: { 200: MacroList },
    handler: (tenant, { query }) => pageMacros(tenant, query),
  });
  recordRoutes(app, kit);
  runRoute(app, kit);
  runManyRoute(app, kit);
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/macros/:id',
    scope: 'conversations:read',
    summary: 'Read a macro',
    description: 'Personal macros of other users are not found (404).',
    params: MacroParams,
    answers: { 200: ref(Macro) },
    handler: (tenant, { params }) => readMacro(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/macros/:id',
    scope: 'conversations:update',
    needs: [NEEDS_TO_CHANGE, ...givenActions],
    action: 'macros.update',
    summary: 'Change a macro',
    description: `\`actions\` replaces all actions. ${RIGHTS}`,
    params: MacroParams,
    body: ref(MacroUpdate),
    answers: { 200: ref(Macro) },
    errors: ['UNKNOWN_REFERENCE', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateMacroById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/macros/:id',
    scope: 'conversations:update',
    needs: [NEEDS_TO_CHANGE],
    action: 'macros.delete',
    summary: 'Remove a macro',
    description: RIGHTS,
    params: MacroParams,
    answers: { 200: ref(Macro) },
    handler: (tenant, { params }) => removeMacro(tenant, params.id),
  });
}

function runRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/conversations/:id/macro',
    scope: 'conversations:update',
    needs: actionNeeds<{ body: { macro: string } }>(
      async (tenant, { body }) => (await findVisible(tenant, body.macro))?.actions ?? null,
    ),
    action: 'conversations.run-macro',
    summary: 'Run a macro in a conversation',
    description:
      'Makes all its actions, or none of them, in the name of the caller. A message to the contact is sent right after that as a ' +
      'scheduled message, under the rules of a normal send. Returns the conversation.',
    params: ConversationParams,
    body: ref(MacroRun),
    answers: { 201: ref(Conversation) },
    errors: [
      'UNKNOWN_REFERENCE',
      'CONVERSATION_OPEN',
      'CONTENT_NOT_SUPPORTED',
      'TEMPLATE_NOT_SENDABLE',
      'TEMPLATES_NOT_SUPPORTED',
      'QUOTA_EXCEEDED',
    ],
    handler: (tenant, { params, body }) => runMacro(kit, tenant, params.id, body),
    again: readRunConversation,
  });
}

function runManyRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/macros/:id/run',
    scope: 'conversations:update',
    needs: actionNeeds<{ params: { id: string } }>(
      async (tenant, { params }) => (await findVisible(tenant, params.id))?.actions ?? null,
    ),
    action: 'conversations.start-bulk',
    summary: 'Run a macro in many conversations',
    description:
      'Returns a bulk change of conversations immediately; GET /v1/conversations/bulk/{id} shows its progress, and it is cancelled there. ' +
      'A worker runs the macro, as it is now, in one conversation after the other, as POST /v1/conversations/{id}/macro does. ' +
      'A conversation in which it cannot run is reported in `failures` with the error code of that request.',
    params: MacroParams,
    body: ref(MacroRunMany),
    answers: { 201: ref(ConversationRun) },
    errors: ['RUNS_WAITING', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, body, reply }) =>
      runMacroInMany(tenant, params.id, body, readRequestOrigin(reply.request)),
    again: readMacroRun,
  });
}
