import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import type { Need } from '../../platform/http/needs.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import {
  createQuickReply,
  isShared,
  pageQuickReplies,
  readQuickReply,
  removeQuickReply,
  updateQuickReplyById,
} from './quick-replies.ts';
import {
  QuickReply,
  QuickReplyCreate,
  QuickReplyList,
  QuickReplyParams,
  QuickReplyQuery,
  QuickReplyUpdate,
} from './schemas.ts';

const RIGHTS = 'Only its owner can see and change a personal quick reply. Owners and admins can change a shared one.';

const SHARED = { scopes: ['messages:update'], when: 'for a quick reply shared by the company' } as const;
const NEEDS_TO_CHANGE: Need<{ params: { id: string } }> = {
  ...SHARED,
  arises: (tenant, { params }) => isShared(tenant, params.id),
};

export function quickReplyRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('quick-replies', 'Texts that users insert by a shortcut');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/quick-replies',
    scope: 'messages:create',
    needs: [{ ...SHARED, arises: (_tenant, { body: { owner = null } }) => owner === null }],
    action: 'quick-replies.create',
    summary: 'Create a quick reply',
    description: RIGHTS,
    body: ref(QuickReplyCreate),
    answers: { 201: ref(QuickReply) },
    errors: ['QUICK_REPLY_EXISTS', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => createQuickReply(tenant, body),
    again: readQuickReply,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/quick-replies',
    scope: 'messages:read',
    summary: "List the company's quick replies and the caller's own",
    description: 'Personal ones of other users are not shown.',
    query: QuickReplyQuery,
    answers: { 200: QuickReplyList },
    handler: (tenant, { query }) => pageQuickReplies(tenant, query),
  });
  recordRoutes(app, kit);
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/quick-replies/:id',
    scope: 'messages:read',
    summary: 'Read a quick reply',
    description: 'Personal quick replies of other users are not found (404).',
    params: QuickReplyParams,
    answers: { 200: ref(QuickReply) },
    handler: (tenant, { params }) => readQuickReply(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/quick-replies/:id',
    scope: 'messages:create',
    needs: [NEEDS_TO_CHANGE],
    action: 'quick-replies.update',
    summary: 'Change a quick reply',
    description: RIGHTS,
    params: QuickReplyParams,
    body: ref(QuickReplyUpdate),
    answers: { 200: ref(QuickReply) },
    errors: ['QUICK_REPLY_EXISTS', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateQuickReplyById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/quick-replies/:id',
    scope: 'messages:create',
    needs: [NEEDS_TO_CHANGE],
    action: 'quick-replies.delete',
    summary: 'Remove a quick reply',
    description: RIGHTS,
    params: QuickReplyParams,
    answers: { 200: ref(QuickReply) },
    handler: (tenant, { params }) => removeQuickReply(tenant, params.id),
  });
}
