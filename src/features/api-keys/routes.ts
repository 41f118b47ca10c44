import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { installationOperation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createKeyForCaller, pageKeys, readMadeKey, revokeKeyById } from './api-keys.ts';
import { ApiKey, ApiKeyCreate, ApiKeyList, ApiKeyMade, ApiKeyParams, ApiKeyQuery } from './schemas.ts';

export function apiKeyRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('api-keys', 'Keys of integrators');
  installationOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/api-keys',
    scope: 'api-keys:create',
    summary: 'Create a key; its token is in this answer and nowhere else',
    description: 'A key never grants more than its creator has. Global keys are made by global keys.',
    body: ref(ApiKeyCreate),
    answers: { 201: ref(ApiKeyMade) },
    errors: ['COMPANY_ID_REQUIRED'],
    handler: (caller, { body }) => createKeyForCaller(kit, caller, body),
    again: readMadeKey,
  });
  installationOperation(app, kit.access, {
    method: 'GET',
    path: '/v1/api-keys',
    scope: 'api-keys:read',
    summary: "List the company's keys; for a global key without x-company-id the global ones",
    description:
      'Revoked and expired keys are listed as well. `hint` shows the end of a token, and `last_used_at` when it was used last; the token itself is shown nowhere.',
    query: ApiKeyQuery,
    errors: ['UNKNOWN_REFERENCE'],
    answers: { 200: ApiKeyList },
    handler: (caller, { query }) => pageKeys(caller, query),
  });
  installationOperation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    scope: 'api-keys:delete',
    summary: 'Revoke a key; it is refused from now on',
    description:
      'Every process refuses the token within five seconds. The record stays in the list, with `revoked_at`, and can not be made valid again.',
    params: ApiKeyParams,
    answers: { 200: ref(ApiKey) },
    handler: (caller, { params }) => revokeKeyById(kit, caller, params.id),
  });
}
