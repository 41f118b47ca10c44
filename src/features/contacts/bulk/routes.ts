import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { readRequestOrigin } from '../../../platform/http/access.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import { readRun } from '../../../platform/work/runs/runs.ts';
import { runRoutes } from '../../../platform/work/runs/routes.ts';
import { CONTACT_RUNS, startRun } from './runs.ts';
import { ContactRunCreate } from './schemas.ts';

const PATH = '/v1/contacts/bulk-changes';

export function contactRunRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: PATH,
    scope: 'contacts:update',
    needs: [
      {
        scopes: ['contacts:delete'],
        when: 'with `delete`',
        arises: (_tenant, { body }) => body.change.delete === true,
      },
    ],
    action: 'contacts.start-bulk',
    summary: 'Change or erase many contacts',
    description: WORDS,
    body: ref(ContactRunCreate),
    answers: { 201: CONTACT_RUNS.schema },
    errors: ['RUNS_WAITING', 'QUOTA_EXCEEDED', 'UNKNOWN_REFERENCE'],
    handler: (tenant, { body, reply }) => startRun(tenant, body, readRequestOrigin(reply.request)),
    again: ({ read }, id) => readRun(read, CONTACT_RUNS, id),
  });
  runRoutes(app, kit.access, CONTACT_RUNS, {
    path: PATH,
    record: 'contact-run',
    scopes: { see: 'contacts:read', cancel: 'contacts:update' },
    list: {
      summary: 'List bulk changes of contacts',
      description: 'Each run with its status and counters; runs are kept for 30 days.',
    },
    read: {
      summary: 'Read a bulk change of contacts',
      description:
        'Returns the progress of the run. Runs are kept for 30 days. GET /v1/live sends it as the event contact_run.',
    },
    cancel: {
      action: 'contacts.cancel-bulk',
      summary: 'Cancel a bulk change of contacts',
      description:
        'The run ends after the contact that is being changed; changes already made are kept. A run that has ended stays unchanged.',
    },
  });
}

const WORDS =
  'Returns the run immediately. A worker then changes the contacts one by one, the newest first. The contacts are fixed ' +
  'when the run begins. Each is changed as by a PATCH, or erased as by a DELETE, with its events and its entry in the ' +
  'audit log. One that cannot be changed is reported in `failures` with the error code of that request, and does not ' +
  'stop the others. A run survives the end of its process and changes nothing twice. Each process runs one bulk change ' +
  'per company at a time; ten can be queued (409). POST /v1/contacts/bulk creates and updates contacts with values of ' +
  'their own instead.';
