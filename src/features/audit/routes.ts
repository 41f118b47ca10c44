import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { pageAudit } from './audit.ts';
import { AuditList, AuditQuery } from './schemas.ts';

export function auditRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('audit', 'Who did what to which record');
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/audit',
    scope: 'audit:read',
    summary: 'List who did what to which record, and from where',
    description:
      'One entry for each change made by an operation: who, which action on which record, the names of the ' +
      'fields that the request set, the address and the request id. Values are not recorded; `resource_name` is looked up when you ask.',
    query: AuditQuery,
    answers: { 200: AuditList },
    handler: (tenant, { query }) => pageAudit(tenant, query),
  });
}
