import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createAutcl, pageItems, readItem, removeItem, retryItem, updateAutclById } from './knowledge.ts';
import {
  AutclCreate,
  AutclUpdate,
  KnowledgeItem,
  KnowledgeList,
  KnowledgeParams,
  KnowledgeQuery,
  KnowledgeSearch,
  KnowledgeSearchResult,
  KnowledgeUpload,
} from './schemas.ts';
import { searchKnowledge } from './search.ts';
import { MOST_FILE, uploadItem } from './upload.ts';
import { readSynonyms, updateSynonyms } from './synonyms/own-synonyms.ts';
import { Synonyms, SynonymsUpdate } from './synonyms/schemas.ts';

export function knowledgeRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('knowledge', "A company's knowledge, and its search");
  autclRoutes(app, kit);
  uploadRoute(app, kit);
  searchRoute(app, kit);
  synonymRoutes(app, kit);
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/knowledge',
    scope: 'knowledge:read',
    summary: 'List knowledge items, without their texts',
    description:
      'Items of all statuses are listed; filter by `type`, `file_type` and `status`. `GET /v1/knowledge/{id}` returns the text of an item.',
    query: KnowledgeQuery,
    answers: { 200: KnowledgeList },
    handler: (tenant, { query }) => pageItems(kit, tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/knowledge/:id',
    scope: 'knowledge:read',
    summary: 'Read a knowledge item',
    description: 'Returns the item with its text and, if its status is ERROR, the cause.',
    params: KnowledgeParams,
    answers: { 200: ref(KnowledgeItem) },
    handler: (tenant, { params }) => readItem(kit, tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/knowledge/:id/retry',
    scope: 'knowledge:update',
    action: 'knowledge.retry',
    summary: 'Retry an item whose status is ERROR',
    description: 'The item is PROCESSING again. An item with any other status stays unchanged.',
    params: KnowledgeParams,
    answers: { 201: ref(KnowledgeItem) },
    handler: (tenant, { params }) => retryItem(kit, tenant, params.id),
    again: (tenant, id) => readItem(kit, tenant, id),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/knowledge/:id',
    scope: 'knowledge:delete',
    summary: 'Remove a knowledge item',
    description: 'The search no longer finds it, and agents no longer answer from it.',
    params: KnowledgeParams,
    answers: { 200: ref(KnowledgeItem) },
    handler: (tenant, { params }) => removeItem(kit, tenant, params.id),
  });
}

function uploadRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/knowledge/upload',
    scope: 'knowledge:create',
    summary: 'Make a knowledge item from a file',
    description:
      'The file becomes an attachment. The text of KNOWLEDGE is read in the background; MEDIA is found by its ' +
      'name and description. The contents determine the type of the file.',
    body: KnowledgeUpload,
    form: MOST_FILE,
    answers: { 201: ref(KnowledgeItem) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { upload, body, reply }) =>
      uploadItem(kit, tenant, { upload, body, signal: hangUpSignal(reply) }),
    again: (tenant, id) => readItem(kit, tenant, id),
  });
}

/** The operations on items whose text is written here. */
function autclRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/knowledge/autcl',
    scope: 'knowledge:create',
    summary: 'Write a knowledge item',
    description: 'The item is PROCESSING until its text has been prepared for the search in the background.',
    body: ref(AutclCreate),
    answers: { 201: ref(KnowledgeItem) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => createAutcl(kit, tenant, body),
    again: (tenant, id) => readItem(kit, tenant, id),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/knowledge/autcl/:id',
    scope: 'knowledge:update',
    summary: 'Change a knowledge item that was written here',
    description:
      'After a change of name, text or language the item is PROCESSING again. Until it is READY, the search finds its previous version.',
    params: KnowledgeParams,
    body: ref(AutclUpdate),
    answers: { 200: ref(KnowledgeItem) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateAutclById(kit, tenant, params.id, body),
  });
}

function synonymRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/knowledge/synonyms',
    scope: 'knowledge:read',
    summary: 'Read the synonyms of the company',
    description: 'Words that mean the same for this company. The search also knows common business synonyms.',
    answers: { 200: ref(Synonyms) },
    handler: ({ read }) => readSynonyms(read),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/knowledge/synonyms',
    scope: 'knowledge:update',
    action: 'synonyms.update',
    summary: 'Replace the synonyms of the company',
    description: 'They apply from the next search, and the next answer of an agent; no item is processed again.',
    body: ref(SynonymsUpdate),
    answers: { 200: ref(Synonyms) },
    handler: (tenant, { body }) => updateSynonyms(tenant, body),
  });
}

function searchRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/knowledge/search',
    scope: 'knowledge:read',
    action: null,
    summary: 'Find passages for a question',
    description:
      'Passages are found by their words in Portuguese, English and Spanish, by common synonyms, by words with ' +
      'a similar spelling, and by their vectors. Until an edited item is READY, its previous version is found.',
    body: ref(KnowledgeSearch),
    answers: { 200: ref(KnowledgeSearchResult) },
    handler: (tenant, { body }) => searchKnowledge(kit, tenant, body),
  });
}
