import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createHours, pageHours, readHours, removeHours, updateHoursById } from './business-hours.ts';
import {
  BusinessHours,
  BusinessHoursCreate,
  BusinessHoursList,
  BusinessHoursParams,
  BusinessHoursQuery,
  BusinessHoursUpdate,
} from './schemas.ts';

export function businessHoursRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('business-hours', 'When the company answers');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/business-hours',
    scope: 'inboxes:create',
    action: 'business-hours.create',
    summary: 'Create business hours',
    description: 'They take effect in each inbox whose `business_hours` name them.',
    body: ref(BusinessHoursCreate),
    answers: { 201: ref(BusinessHours) },
    handler: (tenant, { body }) => createHours(tenant, body),
    again: readHours,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/business-hours',
    scope: 'inboxes:read',
    summary: 'List business hours',
    description: 'The hours of the company, the newest first.',
    query: BusinessHoursQuery,
    answers: { 200: BusinessHoursList },
    handler: (tenant, { query }) => pageHours(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/business-hours/:id',
    scope: 'inboxes:read',
    summary: 'Read business hours',
    description: 'The weekly hours, and the dates that differ from them.',
    params: BusinessHoursParams,
    answers: { 200: ref(BusinessHours) },
    handler: (tenant, { params }) => readHours(tenant, params.id),
  });
  changingRoutes(app, kit);
}

function changingRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/business-hours/:id',
    scope: 'inboxes:update',
    action: 'business-hours.update',
    summary: 'Change business hours',
    description:
      'Fields that the request does not name stay unchanged; `days` and `special_dates` are replaced as a whole.',
    params: BusinessHoursParams,
    body: ref(BusinessHoursUpdate),
    answers: { 200: ref(BusinessHours) },
    handler: (tenant, { params, body }) => updateHoursById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/business-hours/:id',
    scope: 'inboxes:delete',
    action: 'business-hours.delete',
    summary: 'Remove business hours',
    description: 'Inboxes that have them are always open from then on.',
    params: BusinessHoursParams,
    answers: { 200: ref(BusinessHours) },
    handler: (tenant, { params }) => removeHours(tenant, params.id),
  });
}
