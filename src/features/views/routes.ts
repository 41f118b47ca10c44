import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import type { Need } from '../../platform/http/needs.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { countViews } from './counts.ts';
import { View, ViewCounts, ViewCreate, ViewList, ViewParams, ViewQuery, ViewUpdate } from './schemas.ts';
import { createView, isOfOthers, isShared, pageViews, readView, removeView, updateViewById } from './views.ts';

const RIGHTS =
  'Every user who may read conversations has private views, which no one else sees. A shared view is changed by its owner, ' +
  'and by owners and admins of the company.';
const MISSING = 'Private views of other users are not found (404).';

/** Reading is enough for a private view of one's own, except for an app that the user has let read only. */
const isApp = ({ principal }: Tenant): boolean => principal.type === 'user' && principal.app !== undefined;
const SHARED = { scopes: ['conversations:update'], when: 'for a shared view, and for a connected app' } as const;
const CHANGED: Need<{ params: { id: string } }> = {
  ...SHARED,
  arises: async (tenant, { params }) => isApp(tenant) || isShared(tenant, params.id),
};
const FOREIGN: Need<{ params: { id: string } }> = {
  scopes: ['pipelines:update'],
  when: 'for a shared view of another user or key',
  arises: (tenant, { params }) => isOfOthers(tenant, params.id),
};

export function viewRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('views', 'Saved filters of the list of conversations');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/views',
    scope: 'conversations:read',
    needs: [{ ...SHARED, arises: (tenant, { body }) => isApp(tenant) || body.is_shared === true }],
    action: 'views.create',
    summary: 'Save a view of the conversations',
    description: `${RIGHTS} The calling user is its owner.`,
    body: ref(ViewCreate),
    answers: { 201: ref(View) },
    errors: ['VIEW_EXISTS', 'QUOTA_EXCEEDED', 'UNKNOWN_REFERENCE'],
    handler: (tenant, { body }) => createView(tenant, body),
    again: readView,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/views',
    scope: 'conversations:read',
    summary: "List the company's shared views and the caller's own",
    description: 'Private views of other users are not shown. Clients show views by `position`, then by name.',
    query: ViewQuery,
    answers: { 200: ViewList },
    handler: (tenant, { query }) => pageViews(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/views/counts',
    scope: 'conversations:read',
    summary: 'Count the conversations of each saved view',
    description:
      'Counts the conversations of every view that the caller sees. GET /v1/conversations/counts counts those of inboxes, steps and others.',
    answers: { 200: ref(ViewCounts) },
    handler: countViews,
  });
  recordRoutes(app, kit);
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/views/:id',
    scope: 'conversations:read',
    summary: 'Read a saved view',
    description: MISSING,
    params: ViewParams,
    answers: { 200: ref(View) },
    handler: (tenant, { params }) => readView(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/views/:id',
    scope: 'conversations:read',
    needs: [
      {
        ...SHARED,
        arises: async (tenant, { params, body }) =>
          isApp(tenant) || body.is_shared === true || isShared(tenant, params.id),
      },
      FOREIGN,
    ],
    action: 'views.update',
    summary: 'Change a saved view',
    description: `${RIGHTS} Only its owner can make a shared view private. ${MISSING}`,
    params: ViewParams,
    body: ref(ViewUpdate),
    answers: { 200: ref(View) },
    errors: ['VIEW_EXISTS', 'QUOTA_EXCEEDED', 'UNKNOWN_REFERENCE'],
    handler: (tenant, { params, body }) => updateViewById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/views/:id',
    scope: 'conversations:read',
    needs: [CHANGED, FOREIGN],
    action: 'views.delete',
    summary: 'Remove a saved view',
    description: `${RIGHTS} ${MISSING}`,
    params: ViewParams,
    answers: { 200: ref(View) },
    handler: (tenant, { params }) => removeView(tenant, params.id),
  });
}
