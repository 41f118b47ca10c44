import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import {
  SlaPolicy,
  SlaPolicyCreate,
  SlaPolicyList,
  SlaPolicyParams,
  SlaPolicyQuery,
  SlaPolicyUpdate,
} from './schemas.ts';
import { createPolicy, pagePolicies, readPolicy, removePolicy, updatePolicyById } from './sla-policies.ts';

const TAKES_EFFECT =
  'It takes effect in an open conversation when the contact writes, when it is answered, or when its status, priority or team changes.';

export function slaPolicyRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('sla-policies', 'How soon conversations are to be answered and closed');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/sla-policies',
    scope: 'inboxes:create',
    action: 'sla-policies.create',
    summary: 'Create an SLA policy',
    description: `At least one target is required. ${TAKES_EFFECT}`,
    body: ref(SlaPolicyCreate),
    answers: { 201: ref(SlaPolicy) },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { body }) => createPolicy(tenant, body),
    again: readPolicy,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/sla-policies',
    scope: 'inboxes:read',
    summary: 'List SLA policies',
    description: 'The policies of the company, the newest first.',
    query: SlaPolicyQuery,
    answers: { 200: SlaPolicyList },
    handler: (tenant, { query }) => pagePolicies(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/sla-policies/:id',
    scope: 'inboxes:read',
    summary: 'Read an SLA policy',
    description: 'Its targets, and where it applies.',
    params: SlaPolicyParams,
    answers: { 200: ref(SlaPolicy) },
    handler: (tenant, { params }) => readPolicy(tenant, params.id),
  });
  changingRoutes(app, kit);
}

function changingRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/sla-policies/:id',
    scope: 'inboxes:update',
    action: 'sla-policies.update',
    summary: 'Change an SLA policy',
    description: `Fields that the request does not name stay unchanged. ${TAKES_EFFECT}`,
    params: SlaPolicyParams,
    body: ref(SlaPolicyUpdate),
    answers: { 200: ref(SlaPolicy) },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { params, body }) => updatePolicyById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/sla-policies/:id',
    scope: 'inboxes:delete',
    action: 'sla-policies.delete',
    summary: 'Remove an SLA policy',
    description: 'Its conversations have no SLA from then on, until another policy takes effect in them.',
    params: SlaPolicyParams,
    answers: { 200: ref(SlaPolicy) },
    handler: (tenant, { params }) => removePolicy(tenant, params.id),
  });
}
