import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createField, pageFields, readField, removeField, updateFieldById } from './fields.ts';
import {
  CustomField,
  CustomFieldCreate,
  CustomFieldList,
  CustomFieldParams,
  CustomFieldQuery,
  CustomFieldUpdate,
} from './schemas.ts';

export function customFieldRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('custom-fields', 'Typed fields that a company defines, and their allowed values');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/custom-fields',
    scope: 'custom-fields:create',
    summary: 'Define a custom field',
    description: 'Without a slug, one is made from the title. Context, type and slug cannot be changed later.',
    body: ref(CustomFieldCreate),
    answers: { 201: ref(CustomField) },
    errors: ['FIELD_EXISTS', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => createField(tenant, body),
    again: readField,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/custom-fields',
    scope: 'custom-fields:read',
    summary: 'List custom fields',
    description: 'The fields of contacts, conversations and businesses; filter by `context` for one kind of record.',
    query: CustomFieldQuery,
    answers: { 200: CustomFieldList },
    handler: (tenant, { query }) => pageFields(tenant, query),
  });
  recordRoutes(app, kit);
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/custom-fields/:id',
    scope: 'custom-fields:read',
    summary: 'Read a custom field',
    description: 'Returns the type, the slug under which records have the value and, for SELECT and LIST, the options.',
    params: CustomFieldParams,
    answers: { 200: ref(CustomField) },
    handler: (tenant, { params }) => readField(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/custom-fields/:id',
    scope: 'custom-fields:update',
    summary: 'Change title, options or description of a custom field',
    description:
      'Records keep and show a removed option until it is overwritten or cleared; it can no longer be set on other records.',
    params: CustomFieldParams,
    body: ref(CustomFieldUpdate),
    answers: { 200: ref(CustomField) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateFieldById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/custom-fields/:id',
    scope: 'custom-fields:delete',
    summary: 'Remove a custom field with its values',
    description:
      'Records stop showing the field immediately, without events; the stored values are erased in the ' +
      'background. A new field with the same slug starts empty.',
    params: CustomFieldParams,
    answers: { 200: ref(CustomField) },
    handler: (tenant, { params }) => removeField(kit, tenant, params.id),
  });
}
