import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import { cancelReplay, pageReplays, readReplay, startReplay } from './replays.ts';
import {
  DeliveryReplay,
  DeliveryReplayCreate,
  DeliveryReplayList,
  DeliveryReplayParams,
  DeliveryReplayQuery,
} from './schemas.ts';

export function deliveryReplayRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/webhooks/deliveries/replay',
    scope: 'webhooks:update',
    action: 'deliveries.start-replay',
    summary: 'Replay the deliveries of a period',
    description: WORDS,
    body: ref(DeliveryReplayCreate),
    answers: { 201: ref(DeliveryReplay) },
    errors: ['REPLAY_RUNNING', 'WEBHOOK_INACTIVE', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => startReplay(tenant, body),
    again: readReplay,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/webhooks/deliveries/replay',
    scope: 'webhooks:read',
    summary: 'List replays of periods',
    description: 'Each replay with its status and counters; filter by `status`.',
    query: DeliveryReplayQuery,
    answers: { 200: DeliveryReplayList },
    handler: (tenant, { query }) => pageReplays(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/webhooks/deliveries/replay/:id',
    scope: 'webhooks:read',
    summary: 'Read a replay of a period',
    description:
      'Returns how many deliveries of the period were processed (`processed` of `total`), and how many were sent again.',
    params: DeliveryReplayParams,
    answers: { 200: ref(DeliveryReplay) },
    handler: (tenant, { params }) => readReplay(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/webhooks/deliveries/replay/:id/cancel',
    scope: 'webhooks:update',
    action: 'deliveries.cancel-replay',
    summary: 'End a replay of a period; what it has queued is sent',
    description:
      'The deliveries that are not queued yet stay unchanged. A replay that has ended is returned unchanged.',
    params: DeliveryReplayParams,
    answers: { 201: ref(DeliveryReplay) },
    handler: (tenant, { params }) => cancelReplay(tenant, params.id),
    again: readReplay,
  });
}

const WORDS =
  'For a receiver that was unavailable: each delivery of the period with this status is sent again, as a ' +
  'new one with the same body and `replay_of`. A worker queues them, oldest first and no faster than the ' +
  'receiver accepts them, so that new events do not wait behind them. A run sends each delivery at most ' +
  'once, and skips failed deliveries that an earlier replay has delivered. A company has one run at a ' +
  'time, of at most 100,000 deliveries; it ends FAILED if the webhook is deactivated.';
