import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { installationOperation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createKeyForCaller, pageKeys, readMadeKey, revokeKeyById } from './api-keys.ts';
import { ApiKey, ApiKeyCreate, ApiKeyList, ApiKeyMade, ApiKeyParams, ApiKeyQuery } from './schemas.ts';

export function apiKeyRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('api-keys', 'API keys of integrations');
  installationOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/api-keys',
    scope: 'api-keys:create',
    summary: 'Create a key; its token is returned only once',
    description: 'A key never grants more than its creator has. Only global keys can create global keys.',
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
    summary: "List the company's keys; for a global key without x-company-id, the global ones",
    description:
      'Revoked and expired keys are listed as well. `hint` is the end of the token, and `last_used_at` the ' +
      'time of its last use; the token itself is never shown.',
    query: ApiKeyQuery,
    errors: ['UNKNOWN_REFERENCE'],
    answers: { 200: ApiKeyList },
    handler: (caller, { query }) => pageKeys(caller, query),
  });
  installationOperation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    scope: 'api-keys:delete',
    summary: 'Revoke a key; it is rejected from now on',
    description:
      'Every process rejects the token within five seconds. The record stays in the list, with `revoked_at`, and cannot be made valid again.',
    params: ApiKeyParams,
    answers: { 200: ref(ApiKey) },
    handler: (caller, { params }) => revokeKeyById(kit, caller, params.id),
  });
}
