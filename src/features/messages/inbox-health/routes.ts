import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import { InboxParams } from '../../inboxes/schemas.ts';
import { readInboxHealth } from './inbox-health.ts';
import { InboxHealth } from './schemas.ts';

export function inboxHealthRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/inboxes/:id/health',
    scope: 'inboxes:read',
    summary: 'Read the health of an inbox',
    description:
      'When its last message was received and sent, how the network rates its number, how much of the daily ' +
      'limit is used, and what failed in the last 24 hours.',
    params: InboxParams,
    answers: { 200: ref(InboxHealth) },
    handler: (tenant, { params }) => readInboxHealth(kit, tenant, params.id),
  });
}
