import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { connectApp, pageApps, previewApp, readMadeApp, removeApp } from './connected-apps.ts';
import { oauthRoutes } from './oauth-routes.ts';
import {
  AppRequest,
  AppRequested,
  ConnectedApp,
  ConnectedAppCreate,
  ConnectedAppList,
  ConnectedAppMade,
  ConnectedAppParams,
  ConnectedAppQuery,
} from './schemas.ts';

export function connectedAppRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('connected-apps', 'Apps that users have connected by OAuth, such as assistants');
  consentRoutes(app, kit);
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/connected-apps',
    scope: null,
    summary: 'List connected apps',
    description: 'A user sees their own; with `api-keys:read`, callers see those of all users. A key needs that scope.',
    query: ConnectedAppQuery,
    errors: ['UNKNOWN_REFERENCE', 'FORBIDDEN'],
    answers: { 200: ConnectedAppList },
    handler: (tenant, { query }) => pageApps(tenant, query),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/connected-apps/:id',
    scope: null,
    action: 'connected-apps.delete',
    summary: 'Revoke a connected app; its tokens are rejected from now on',
    description:
      'Every process rejects the tokens within five seconds. A user revokes their own apps; with `api-keys:delete`, callers revoke those of all users. A key needs that scope.',
    params: ConnectedAppParams,
    errors: ['FORBIDDEN'],
    answers: { 200: ref(ConnectedApp) },
    handler: (tenant, { params }) => removeApp(kit, tenant, params.id),
  });
  oauthRoutes(app, kit);
}

/** What the consent page of the console calls. */
function consentRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/connected-apps/preview',
    scope: null,
    action: null,
    summary: 'Check what an app asks for that wants to be connected',
    description:
      'Only for users. `request` is the query with which the app has opened `authorization_endpoint`. If the id of the client is an address, its metadata document is fetched.',
    body: ref(AppRequest),
    errors: ['FORBIDDEN'],
    answers: { 200: ref(AppRequested) },
    handler: (tenant, { body }) => previewApp(kit, tenant, body),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/connected-apps',
    scope: null,
    action: 'connected-apps.create',
    summary: 'Connect an app; it then acts for the calling user',
    description:
      "Only for users. The app can do what `access` says and the user's role allows at the time of each call. The code in `redirect_to` works once.",
    body: ref(ConnectedAppCreate),
    errors: ['FORBIDDEN'],
    answers: { 201: ref(ConnectedAppMade) },
    handler: (tenant, { body }) => connectApp(kit, tenant, body),
    again: readMadeApp,
  });
}
