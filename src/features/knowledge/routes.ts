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
  declareTag('knowledge', 'What a company knows, and the search in it');
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
      'Items of all states are listed; `type`, `file_type` and `status` choose some. The text of an item is in `GET /v1/knowledge/{id}`.',
    query: KnowledgeQuery,
    answers: { 200: KnowledgeList },
    handler: (tenant, { query }) => pageItems(kit, tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/knowledge/:id',
    scope: 'knowledge:read',
    summary: 'Read a knowledge item',
    description: 'Answers the item with its text and, when it is ERROR, the cause.',
    params: KnowledgeParams,
    answers: { 200: ref(KnowledgeItem) },
    handler: (tenant, { params }) => readItem(kit, tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/knowledge/:id/retry',
    scope: 'knowledge:update',
    action: 'knowledge.retry',
    summary: 'Try once more to prepare an item whose state is ERROR',
    description: 'The item is PROCESSING again. An item in any other state stays as it is.',
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
    description: 'The search finds it no more, and agents no longer answer from it.',
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
      'The file becomes an attachment. The text of KNOWLEDGE is read in the background; MEDIA is found by its name and description. The contents decide what the file is.',
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
    description: 'The item is PROCESSING until its text is prepared for the search in the background.',
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
      'After a change of name, text or language the item is PROCESSING again. Until it is READY the search finds it as it was before.',
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
    description:
      'Words that mean the same for this company. The search also knows everyday words of business by itself.',
    answers: { 200: ref(Synonyms) },
    handler: ({ read }) => readSynonyms(read),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/knowledge/synonyms',
    scope: 'knowledge:update',
    action: 'synonyms.update',
    summary: 'Replace the synonyms of the company',
    description: 'They hold for the next search, and for the next answer of an agent; no item is prepared anew.',
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
      'Passages are found by their words in Portuguese, English and Spanish, by everyday words that mean nearly the same, by words that are spelled nearly like them, and by their vectors. An item that was edited is found as it was before until it is READY.',
    body: ref(KnowledgeSearch),
    answers: { 200: ref(KnowledgeSearchResult) },
    handler: (tenant, { body }) => searchKnowledge(kit, tenant, body),
  });
}
