import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import {
  DeliveryList,
  DeliveryParams,
  DeliveryQuery,
  Webhook,
  WebhookCreate,
  WebhookDelivery,
  WebhookOrNull,
  WebhookParams,
  WebhookUpdate,
} from './schemas.ts';
import {
  createWebhook,
  pageDeliveries,
  readDelivery,
  readWebhook,
  readWebhookById,
  removeWebhook,
  replayDelivery,
  updateWebhookById,
} from './webhooks.ts';

export function webhookRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('Webhooks', "The company's webhook and its delivery log");
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/webhooks',
    scope: 'webhooks:create',
    summary: "Register the company's webhook",
    description:
      'Each event in `events` is posted to `url` once. A company has one webhook; if it exists, the response is 409 with `existing_id`.',
    body: ref(WebhookCreate),
    answers: { 201: ref(Webhook) },
    errors: ['WEBHOOK_EXISTS', 'TARGET_NOT_ALLOWED'],
    handler: (tenant, { body }) => createWebhook(kit, tenant, body),
    again: (tenant, id) => readWebhookById(kit, tenant, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/webhooks',
    scope: 'webhooks:read',
    summary: "Read the company's webhook; null if there is none",
    description: 'The values of `custom_headers` are secrets, masked for callers without `webhooks:update`.',
    answers: { 200: WebhookOrNull },
    handler: (tenant) => readWebhook(kit, tenant),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/webhooks/:id',
    scope: 'webhooks:update',
    summary: 'Change the webhook, deactivate it (INACTIVE) or reactivate it (ACTIVE)',
    description:
      'Only the given properties change; given `custom_headers` replace all of them. Events that occur while the webhook is INACTIVE are never delivered.',
    params: WebhookParams,
    body: ref(WebhookUpdate),
    answers: { 200: ref(Webhook) },
    errors: ['TARGET_NOT_ALLOWED'],
    handler: (tenant, { params, body }) => updateWebhookById(kit, tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    scope: 'webhooks:delete',
    summary: 'Remove the webhook; queued deliveries are not sent',
    description:
      'Queued deliveries become FAILED with WEBHOOK_INACTIVE, even if the company registers another webhook afterwards.',
    params: WebhookParams,
    answers: { 200: ref(Webhook) },
    handler: (tenant, { params }) => removeWebhook(kit, tenant, params.id),
  });
  deliveryRoutes(app, kit);
}

function deliveryRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    scope: 'webhooks:read',
    summary: 'List deliveries and their outcomes',
    description:
      "Each delivery with its body, the receiver's response, and the cause if it failed, newest first; they are kept for 14 days (DELIVERY_RETENTION_DAYS).",
    query: DeliveryQuery,
    answers: { 200: DeliveryList },
    handler: (tenant, { query }) => pageDeliveries(tenant, query),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/webhooks/deliveries/:id/replay',
    scope: 'webhooks:update',
    summary: 'Replay a delivery, as a new one with the same body',
    description:
      'The receiver may get this event twice, whatever the outcome of the first delivery; `x-webhook-replay-of` has the id of the original.',
    params: DeliveryParams,
    answers: { 201: ref(WebhookDelivery) },
    errors: ['WEBHOOK_INACTIVE', 'DELIVERY_ERASED'],
    action: 'deliveries.replay',
    handler: (tenant, { params }) => replayDelivery(tenant, params.id),
    again: readDelivery,
  });
}
