import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { readRequestOrigin } from '../../../platform/http/access.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import { readRun } from '../../../platform/work/runs/runs.ts';
import { runRoutes } from '../../../platform/work/runs/routes.ts';
import { CONVERSATION_RUNS, startRun } from './runs.ts';
import { ConversationRunCreate } from './schemas.ts';

const PATH = '/v1/conversations/bulk';

export function conversationRunRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: PATH,
    scope: 'conversations:update',
    action: 'conversations.start-bulk',
    summary: 'Change many conversations',
    description: WORDS,
    body: ref(ConversationRunCreate),
    answers: { 201: CONVERSATION_RUNS.schema },
    errors: ['RUNS_WAITING', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body, reply }) => startRun(tenant, body, readRequestOrigin(reply.request)),
    again: ({ read }, id) => readRun(read, CONVERSATION_RUNS, id),
  });
  runRoutes(app, kit.access, CONVERSATION_RUNS, {
    path: PATH,
    record: 'conversation-run',
    scopes: { see: 'conversations:read', cancel: 'conversations:update' },
    list: {
      summary: 'List bulk changes of conversations',
      description: 'Each run with its status and counters; runs are kept for 30 days.',
    },
    read: {
      summary: 'Read a bulk change of conversations',
      description:
        'Returns the progress of the run. Runs are kept for 30 days. GET /v1/live sends it as the event conversation_run.',
    },
    cancel: {
      action: 'conversations.cancel-bulk',
      summary: 'Cancel a bulk change of conversations',
      description:
        'The run ends after the conversation that is being changed; changes already made are kept. A run that has ended stays unchanged.',
    },
  });
}

const WORDS =
  'Returns the run immediately. A worker then changes the conversations one by one, starting with the ' +
  'newest message. The conversations are fixed when the run begins. Each is changed as by a PATCH, with ' +
  'its events and its rules. One that cannot be changed is reported in `failures` with the error code of ' +
  'that PATCH, and does not stop the others. A run survives the end of its process and changes nothing ' +
  'twice. Each process runs one bulk change per company at a time; ten can be queued (409).';
