import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { declareTag } from '../../../platform/http/description.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import {
  pageDoorWebhooks,
  readDoorWebhook,
  removeDoorWebhook,
  setDoorWebhook,
  updateDoorWebhookById,
} from './door-webhooks.ts';
import {
  DoorWebhook,
  DoorWebhookList,
  DoorWebhookParams,
  DoorWebhookQuery,
  DoorWebhookSet,
  DoorWebhookUpdate,
} from './schemas.ts';

const PATH = '/v1/door-webhooks';

export function doorWebhookRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('door-webhooks', 'Webhooks that clients of other systems have registered, in their format');
  operation(app, kit.access, {
    method: 'PUT',
    path: PATH,
    scope: 'webhooks:update',
    action: 'door-webhooks.update',
    summary: 'Set the webhook of a door for an inbox, or for all inboxes',
    description:
      'The doors call this for their clients. A webhook of this door and inbox is replaced; a company can have 20. ' +
      'With `include_apikey` the API key of this request is kept, encrypted, and no answer contains it.',
    body: ref(DoorWebhookSet),
    answers: { 200: ref(DoorWebhook) },
    errors: ['TARGET_NOT_ALLOWED', 'UNKNOWN_REFERENCE'],
    handler: (tenant, { body, reply }) =>
      setDoorWebhook(kit, tenant, body, readToken(reply.request.headers.authorization)),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: PATH,
    scope: 'webhooks:read',
    summary: 'List the webhooks of doors',
    description: 'The values of `custom_headers` are secrets, masked for callers without `webhooks:update`.',
    query: DoorWebhookQuery,
    answers: { 200: DoorWebhookList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => pageDoorWebhooks(kit, tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: `${PATH}/:id`,
    scope: 'webhooks:read',
    summary: 'Read the webhook of a door',
    description: 'The values of `custom_headers` are secrets, masked for callers without `webhooks:update`.',
    params: DoorWebhookParams,
    answers: { 200: ref(DoorWebhook) },
    handler: (tenant, { params }) => readDoorWebhook(kit, tenant, params.id),
  });
  changeRoutes(app, kit);
}

function changeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: `${PATH}/:id`,
    scope: 'webhooks:update',
    action: 'door-webhooks.update',
    summary: 'Deactivate or reactivate the webhook of a door',
    description: 'Queued deliveries of a deactivated webhook become FAILED with WEBHOOK_INACTIVE.',
    params: DoorWebhookParams,
    body: ref(DoorWebhookUpdate),
    answers: { 200: ref(DoorWebhook) },
    handler: (tenant, { params, body }) => updateDoorWebhookById(kit, tenant, params.id, body.status),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: `${PATH}/:id`,
    scope: 'webhooks:delete',
    action: 'door-webhooks.delete',
    summary: 'Remove the webhook of a door; queued deliveries are not sent',
    description: 'Queued deliveries become FAILED with WEBHOOK_INACTIVE. Its entries in the delivery log stay.',
    params: DoorWebhookParams,
    answers: { 200: ref(DoorWebhook) },
    handler: (tenant, { params }) => removeDoorWebhook(kit, tenant, params.id),
  });
}

const readToken = (authorization: string | undefined): string | null =>
  /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
