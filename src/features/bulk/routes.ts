import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createShares } from '../../platform/work/shares.ts';
import { pageBulk, readBulk, resumeBulk, sendBulk, type DispatchOptions } from './bulk.ts';
import { BulkForm, BulkList, BulkParams, BulkQuery, BulkResult, MAX_BULK_SHEET_BYTES } from './schemas.ts';

// The calls to networks that the runs of a process make at once; a company makes at most half of them.
const CALLS = 256;
// A call takes at most ten seconds, so a slot comes free long before.
const CALL_WAIT_MS = 60_000;

export function bulkRoutes(app: FastifyInstance, kit: Kit): void {
  const stopping = new AbortController();
  // A run may take minutes, and a stop does not: what has begun is finished, and the rest waits for the repeated request.
  app.addHook('preClose', async () => stopping.abort());
  const calls = createShares(CALLS / 2, CALL_WAIT_MS, { all: CALLS, kept: CALLS / 8 });
  const options: DispatchOptions = { calls, stopping: stopping.signal };
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/messages/send-bulk-template',
    scope: 'messages:create',
    action: 'messages.send-bulk',
    summary: 'Send an approved template to many contacts',
    description: WORDS,
    form: { maxBytes: MAX_BULK_SHEET_BYTES },
    body: BulkForm,
    answers: { 201: ref(BulkResult), 200: ref(BulkResult) },
    errors: ['QUOTA_EXCEEDED', 'TEMPLATES_NOT_SUPPORTED', 'TEMPLATE_NOT_SENDABLE'],
    handler: async (tenant, { body, upload, reply }) => {
      const result = await sendBulk(kit, tenant, { body, upload, signal: hangUpSignal(reply) }, options);
      // A dry run creates nothing.
      reply.code(result.dryRun ? 200 : 201);
      return result;
    },
    again: (tenant, id, { reply }) => {
      reply.code(201);
      return resumeBulk(kit, tenant, id, options);
    },
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/messages/bulk',
    scope: 'messages:read',
    summary: 'List bulk runs',
    description: 'Each run with its status and counters; runs are kept for 30 days.',
    query: BulkQuery,
    answers: { 200: BulkList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => pageBulk(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/messages/bulk/:id',
    scope: 'messages:read',
    summary: 'Read a bulk run',
    description: 'Returns the current result, also while the run is in progress. Runs are kept for 30 days.',
    params: BulkParams,
    answers: { 200: ref(BulkResult) },
    handler: (tenant, { params }) => readBulk(tenant, params.id),
  });
}

const WORDS =
  'Everything is checked before anything is sent: the template is approved, the parameters fit it, the ' +
  "sheet can be read. Then the messages are sent one by one, at up to 80 % of the number's throughput, " +
  'and a failed contact does not stop the others. The response arrives after the last contact: 1,000 ' +
  'contacts take some 16 seconds. The run continues if the caller closes the connection, and `GET ' +
  '/v1/messages/bulk/{id}` shows its progress (the list has the id). If its process ends, the run stops. ' +
  'Repeat the request with its Idempotency-Key to send the rest; no contact gets the message twice. A run ' +
  'without an Idempotency-Key cannot continue: the rest stays unsent, and the outcome of its last messages ' +
  'is unknown, so give every call a key. A message whose outcome is unknown is never sent again. More than ' +
  'BULK_MAX_CONTACTS contacts (2,000 by default) are rejected with 413; a campaign accepts any number.';
