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
    summary: 'Read whether an inbox works',
    description:
      'When its last message came in and went out, what its network thinks of its number, how much of the daily limit is used, and what failed in the last 24 hours.',
    params: InboxParams,
    answers: { 200: ref(InboxHealth) },
    handler: (tenant, { params }) => readInboxHealth(kit, tenant, params.id),
  });
}
