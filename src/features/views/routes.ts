import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import type { Need } from '../../platform/http/needs.ts';
import { operation } from '../../platform/http/route.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { SEGMENTS, VIEWS, type ViewKind } from './kinds.ts';
import { ViewQuery } from './schemas.ts';
import {
  countViews,
  createView,
  isOfOthers,
  isShared,
  pageViews,
  readView,
  removeView,
  updateViewById,
} from './views.ts';

const rightsWords = ({ word, of }: ViewKind): string =>
  `Every user who may read ${of} has private ${word}s, which no one else sees. A shared ${word} is changed by its owner, ` +
  'and by owners and admins of the company.';
const missingWords = ({ word }: ViewKind): string => `Private ${word}s of other users are not found (404).`;

/** Reading is enough for a private view of one's own, except for an app that the user has let read only. */
const isApp = ({ principal }: Tenant): boolean => principal.type === 'user' && principal.app !== undefined;

const sharedNeed = ({ scopes, word }: ViewKind) =>
  ({ scopes: [scopes.share], when: `for a shared ${word}, and for a connected app` }) as const;

const foreignNeed = (kind: ViewKind): Need<{ params: { id: string } }> => ({
  scopes: ['pipelines:update'],
  when: `for a shared ${kind.word} of another user or key`,
  arises: (tenant, { params }) => isOfOthers(kind, tenant, params.id),
});

export function viewRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('views', 'Saved filters of the list of conversations');
  declareTag('segments', 'Saved filters of the list of contacts');
  for (const kind of [VIEWS, SEGMENTS] as ViewKind[]) {
    listRoutes(app, kit, kind);
    recordRoutes(app, kit, kind);
  }
}

function listRoutes(app: FastifyInstance, kit: Kit, kind: ViewKind): void {
  const { word, list, of, scopes, schemas } = kind;
  operation(app, kit.access, {
    method: 'POST',
    path: `/v1/${list}`,
    scope: scopes.read,
    needs: [{ ...sharedNeed(kind), arises: (tenant, { body }) => isApp(tenant) || body.is_shared === true }],
    action: `${list}.create`,
    summary: `Save a ${word} of the ${of}`,
    description: `${rightsWords(kind)} The calling user is its owner.`,
    body: schemas.create,
    answers: { 201: schemas.view },
    errors: ['VIEW_EXISTS', 'QUOTA_EXCEEDED', 'UNKNOWN_REFERENCE'],
    handler: (tenant, { body }) => createView(kind, tenant, body),
    again: (tenant, id) => readView(kind, tenant, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: `/v1/${list}`,
    scope: scopes.read,
    summary: `List the company's shared ${word}s and the caller's own`,
    description: `Private ${word}s of other users are not shown. Clients show ${word}s by \`position\`, then by name.`,
    query: ViewQuery,
    answers: { 200: schemas.list },
    handler: (tenant, { query }) => pageViews(kind, tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: `/v1/${list}/counts`,
    scope: scopes.read,
    summary: `Count the ${of} of each saved ${word}`,
    description:
      `Counts the ${of} of every ${word} that the caller sees.` +
      (kind.name === 'CONVERSATIONS' ? ' GET /v1/conversations/counts counts those of inboxes, steps and others.' : ''),
    answers: { 200: schemas.counts },
    handler: (tenant) => countViews(kind, tenant),
  });
}

function recordRoutes(app: FastifyInstance, kit: Kit, kind: ViewKind): void {
  const { word, list, scopes, schemas } = kind;
  const shared = sharedNeed(kind);
  const declared = { path: `/v1/${list}/:id`, scope: scopes.read, params: schemas.params };
  operation(app, kit.access, {
    method: 'GET',
    ...declared,
    summary: `Read a saved ${word}`,
    description: missingWords(kind),
    answers: { 200: schemas.view },
    handler: (tenant, { params }) => readView(kind, tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    ...declared,
    needs: [
      {
        ...shared,
        arises: async (tenant, { params, body }) =>
          isApp(tenant) || body.is_shared === true || isShared(kind, tenant, params.id),
      },
      foreignNeed(kind),
    ],
    action: `${list}.update`,
    summary: `Change a saved ${word}`,
    description: `${rightsWords(kind)} Only its owner can make a shared ${word} private. ${missingWords(kind)}`,
    body: schemas.update,
    answers: { 200: schemas.view },
    errors: ['VIEW_EXISTS', 'QUOTA_EXCEEDED', 'UNKNOWN_REFERENCE'],
    handler: (tenant, { params, body }) => updateViewById(kind, tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    ...declared,
    needs: [
      { ...shared, arises: async (tenant, { params }) => isApp(tenant) || isShared(kind, tenant, params.id) },
      foreignNeed(kind),
    ],
    action: `${list}.delete`,
    summary: `Remove a saved ${word}`,
    description: `${rightsWords(kind)} ${missingWords(kind)}`,
    answers: { 200: schemas.view },
    handler: (tenant, { params }) => removeView(kind, tenant, params.id),
  });
}
