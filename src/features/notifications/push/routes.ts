import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { declareTag } from '../../../platform/http/description.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import { openPushKeys } from './keys.ts';
import {
  PushKey,
  PushSubscription,
  PushSubscriptionChange,
  PushSubscriptionList,
  PushSubscriptionParams,
  PushSubscriptionQuery,
} from './schemas.ts';
import { pageSubscriptions, readPushKey, registerBrowser, removeBrowser } from './subscriptions.ts';

const ONLY_USERS = 'For the token or session of a user of any role; API keys get 403.';

export function pushRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('push-subscriptions', "The calling user's browsers to which notifications are pushed");
  const readKeys = openPushKeys(kit);
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/push-subscriptions/key',
    scope: null,
    summary: 'Read the key with which a browser subscribes to push',
    description: `${ONLY_USERS} The installation has one key pair, which it makes by itself.`,
    answers: { 200: ref(PushKey) },
    errors: ['FORBIDDEN'],
    handler: (tenant) => readPushKey(tenant, readKeys),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/push-subscriptions',
    scope: null,
    summary: 'List your browsers to which notifications are pushed',
    description: ONLY_USERS,
    query: PushSubscriptionQuery,
    answers: { 200: PushSubscriptionList },
    errors: ['FORBIDDEN'],
    handler: (tenant, { query }) => pageSubscriptions(tenant, query),
  });
  registrationRoutes(app, kit);
}

function registrationRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/push-subscriptions',
    scope: null,
    action: null,
    summary: 'Register a browser, to which your notifications are then pushed',
    description:
      `${ONLY_USERS} The body is what \`PushSubscription.toJSON()\` returns in the browser, without \`expirationTime\`. Registering it again ` +
      'changes it. With a browser session, the push ends when it logs out. It also ends with a new password, and when the user is deactivated.',
    body: ref(PushSubscriptionChange),
    answers: { 200: ref(PushSubscription) },
    errors: ['FORBIDDEN'],
    handler: (tenant, { body, reply }) => registerBrowser(kit, tenant, body, reply.request.headers),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/push-subscriptions/:id',
    scope: null,
    action: null,
    summary: 'Remove one of your browsers; nothing is pushed to it any more',
    description: ONLY_USERS,
    params: PushSubscriptionParams,
    answers: { 200: ref(PushSubscription) },
    errors: ['FORBIDDEN'],
    handler: (tenant, { params }) => removeBrowser(tenant, params.id),
  });
}
