import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createBusiness, pageBusinesses, readBusiness, removeBusiness, updateBusinessById } from './businesses.ts';
import { Business, BusinessCreate, BusinessList, BusinessParams, BusinessQuery, BusinessUpdate } from './schemas.ts';

export function businessRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('businesses', 'The organisations that contacts belong to');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/businesses',
    scope: 'businesses:create',
    summary: 'Create a business',
    description: "A business is an organisation that contacts can belong to: set a contact's `business` to its id.",
    body: ref(BusinessCreate),
    answers: { 201: ref(Business) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => createBusiness(tenant, body),
    again: readBusiness,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/businesses',
    scope: 'businesses:read',
    summary: 'List businesses',
    description: '`search` finds part of the name or the domain.',
    query: BusinessQuery,
    answers: { 200: BusinessList },
    handler: (tenant, { query }) => pageBusinesses(tenant, query),
  });
  recordRoutes(app, kit);
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/businesses/:id',
    scope: 'businesses:read',
    summary: 'Read a business',
    description: 'Its contacts are listed by `GET /v1/contacts?business=<id>`.',
    params: BusinessParams,
    answers: { 200: ref(Business) },
    handler: (tenant, { params }) => readBusiness(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/businesses/:id',
    scope: 'businesses:update',
    summary: 'Change a business',
    description: 'Fields that the request does not name stay unchanged, also within `custom_fields`.',
    params: BusinessParams,
    body: ref(BusinessUpdate),
    answers: { 200: ref(Business) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateBusinessById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/businesses/:id',
    scope: 'businesses:delete',
    summary: 'Remove a business; its contacts and table rows stay, without a link',
    description:
      'The business is removed immediately. Its contacts lose their link in the background, each with CONTACT_UPDATED.',
    params: BusinessParams,
    answers: { 200: ref(Business) },
    handler: (tenant, { params }) => removeBusiness(kit, tenant, params.id),
  });
}
