import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createShares } from '../../platform/work/shares.ts';
import { pageBulk, readBulk, resumeBulk, sendBulk } from './bulk.ts';
import { BulkForm, BulkList, BulkParams, BulkQuery, BulkResult, MAX_BULK_SHEET_BYTES } from './schemas.ts';
import type { WorkOptions } from './work.ts';

// The calls to networks that the runs of a process make at once; a company makes at most half of them.
const CALLS = 256;
// A call takes at most ten seconds, so a slot comes free long before.
const CALL_WAIT_MS = 60_000;

export function bulkRoutes(app: FastifyInstance, kit: Kit): void {
  const stopping = new AbortController();
  // A run may take minutes, and a stop does not: what has begun is finished, and the rest waits for the repeated request.
  app.addHook('preClose', async () => stopping.abort());
  const calls = createShares(CALLS / 2, CALL_WAIT_MS, { all: CALLS, kept: CALLS / 8 });
  const options: WorkOptions = { calls, stopping: stopping.signal };
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
    description: 'Each run with its state and its counters; runs are kept for 30 days.',
    query: BulkQuery,
    answers: { 200: BulkList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => pageBulk(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/messages/bulk/:id',
    scope: 'messages:read',
    summary: 'Watch a bulk run',
    description: 'Answers what the run has come to so far, also while it goes on. A run is kept for 30 days.',
    params: BulkParams,
    answers: { 200: ref(BulkResult) },
    handler: (tenant, { params }) => readBulk(tenant, params.id),
  });
}

const WORDS =
  `Everything is checked before anything is sent: the template is approved, the parameters fit it, the sheet can be read. Then
  the contacts are sent to one after the other, as fast as 80 % of the number's throughput allows, and a contact that fails does not
  stop the others. The answer comes when the last contact is done: 1,000 contacts take some 16 seconds. The run goes on when the caller
  closes the connection, and \`GET /v1/messages/bulk/{id}\` shows how far it is (the list has the id). When its process ends, the run stops;
  the request repeated with its Idempotency-Key goes on with the rest and sends to nobody twice. A run without an Idempotency-Key can
  not go on: what it has not sent stays unsent, and of its last messages nobody can tell whether they have left, so give every call a key. A
  message whose outcome is not known is
  never sent again. More than BULK_MAX_CONTACTS contacts (2,000 by default) are refused with 413: a campaign takes any number.`.replaceAll(
    /\s+/g,
    ' ',
  );
