import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { readRequestOrigin } from '../../../platform/http/access.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import { cancelRun, pageRuns, readRun, startRun } from './runs.ts';
import {
  ConversationRun,
  ConversationRunCreate,
  ConversationRunList,
  ConversationRunParams,
  ConversationRunQuery,
} from './schemas.ts';

export function conversationRunRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/conversations/bulk',
    scope: 'conversations:update',
    action: 'conversations.start-bulk',
    summary: 'Change many conversations',
    description: WORDS,
    body: ref(ConversationRunCreate),
    answers: { 201: ref(ConversationRun) },
    errors: ['RUNS_WAITING', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body, reply }) => startRun(tenant, body, readRequestOrigin(reply.request)),
    again: readRun,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/conversations/bulk',
    scope: 'conversations:read',
    summary: 'List bulk changes of conversations',
    description: 'Each run with its status and counters; runs are kept for 30 days.',
    query: ConversationRunQuery,
    answers: { 200: ConversationRunList },
    handler: (tenant, { query }) => pageRuns(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/conversations/bulk/:id',
    scope: 'conversations:read',
    summary: 'Read a bulk change of conversations',
    description:
      'Returns the progress of the run. Runs are kept for 30 days. GET /v1/live sends it as the event conversation_run.',
    params: ConversationRunParams,
    answers: { 200: ref(ConversationRun) },
    handler: (tenant, { params }) => readRun(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/conversations/bulk/:id/cancel',
    scope: 'conversations:update',
    action: 'conversations.cancel-bulk',
    summary: 'Cancel a bulk change of conversations',
    description:
      'The run ends after the conversation that is being changed; changes already made are kept. A run that has ended stays unchanged.',
    params: ConversationRunParams,
    answers: { 201: ref(ConversationRun) },
    handler: (tenant, { params }) => cancelRun(tenant, params.id),
    again: readRun,
  });
}

const WORDS =
  'Returns the run immediately. A worker then changes the conversations one by one, starting with the ' +
  'newest message. The conversations are fixed when the run begins. Each is changed as by a PATCH, with ' +
  'its events and its rules. One that cannot be changed is reported in `failures` with the error code of ' +
  'that PATCH, and does not stop the others. A run survives the end of its process and changes nothing ' +
  'twice. Each process runs one bulk change per company at a time; ten can be queued (409).';
