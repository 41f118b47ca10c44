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
  declareTag('Webhooks', "The company's webhook and the log of its deliveries");
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/webhooks',
    scope: 'webhooks:create',
    summary: "Register the company's webhook",
    description:
      'Each event that `events` lists is posted to `url` once, from now on. A company has one webhook: where there is one, the answer is 409 and `existing_id` names it.',
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
    summary: "Read the company's webhook; null when there is none",
    description: 'The values of `custom_headers` are secrets, masked for a caller without `webhooks:update`.',
    answers: { 200: WebhookOrNull },
    handler: (tenant) => readWebhook(kit, tenant),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/webhooks/:id',
    scope: 'webhooks:update',
    summary: 'Change the webhook, stop it (INACTIVE) or let it go on (ACTIVE)',
    description:
      'Only the given properties change; given `custom_headers` replace all of them. What happens while the webhook is INACTIVE is never delivered.',
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
    summary: 'Remove the webhook; what is still queued is not sent',
    description:
      'Deliveries that wait become FAILED with WEBHOOK_INACTIVE, also when the company registers another webhook afterwards.',
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
    summary: 'List deliveries and what became of them',
    description:
      'Each delivery with its body, the answer of the receiver, and the cause when it failed, newest first; they are kept for 14 days (DELIVERY_RETENTION_DAYS).',
    query: DeliveryQuery,
    answers: { 200: DeliveryList },
    handler: (tenant, { query }) => pageDeliveries(tenant, query),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/webhooks/deliveries/:id/replay',
    scope: 'webhooks:update',
    summary: 'Send a delivery once more, as a new one with the same body',
    description:
      'Whatever became of the first one, the receiver may get this event twice; `x-webhook-replay-of` names the delivery that is repeated.',
    params: DeliveryParams,
    answers: { 201: ref(WebhookDelivery) },
    errors: ['WEBHOOK_INACTIVE', 'DELIVERY_ERASED'],
    action: 'deliveries.replay',
    handler: (tenant, { params }) => replayDelivery(tenant, params.id),
    again: readDelivery,
  });
}
