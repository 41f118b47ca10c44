import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { readRequestOrigin } from '../../../platform/http/access.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import { readRun } from '../../../platform/work/runs/runs.ts';
import { runRoutes } from '../../../platform/work/runs/routes.ts';
import { REPLAYS, startReplay } from './replays.ts';
import { DeliveryReplayCreate } from './schemas.ts';

const PATH = '/v1/webhooks/deliveries/replay';

export function deliveryReplayRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: PATH,
    scope: 'webhooks:update',
    action: 'deliveries.start-replay',
    summary: 'Replay the deliveries of a period',
    description: WORDS,
    body: ref(DeliveryReplayCreate),
    answers: { 201: REPLAYS.schema },
    errors: ['REPLAY_RUNNING', 'WEBHOOK_INACTIVE', 'QUOTA_EXCEEDED', 'UNKNOWN_REFERENCE'],
    handler: (tenant, { body, reply }) => startReplay(tenant, body, readRequestOrigin(reply.request)),
    again: ({ read }, id) => readRun(read, REPLAYS, id),
  });
  runRoutes(app, kit.access, REPLAYS, {
    path: PATH,
    record: 'delivery-replay',
    scopes: { see: 'webhooks:read', cancel: 'webhooks:update' },
    list: {
      summary: 'List replays of periods',
      description: 'Each replay with its status and counters; filter by `status`.',
    },
    read: {
      summary: 'Read a replay of a period',
      description:
        'Returns how many deliveries of the period were processed (`processed` of `total`), and how many were sent again.',
    },
    cancel: {
      action: 'deliveries.cancel-replay',
      summary: 'End a replay of a period; what it has queued is sent',
      description:
        'The deliveries that are not queued yet stay unchanged. A replay that has ended is returned unchanged.',
    },
  });
}

const WORDS =
  'For a receiver that was unavailable: each delivery of the period with this status is sent again, as a ' +
  'new one with the same body and `replay_of`. A worker queues them, oldest first and no faster than the ' +
  'receiver accepts them, so that new events do not wait behind them. A run sends each delivery at most ' +
  'once, and skips failed deliveries that an earlier replay has delivered. A company has one run at a ' +
  'time, of at most 100,000 deliveries; it ends FAILED if the webhook is deactivated.';
