/** The operations that list, read and cancel the runs of a kind. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Access } from '../../http/access.ts';
import { operation } from '../../http/route.ts';
import { pageQuery, pageSchema } from '../../store/paging.ts';
import { oneOf, recordId } from '../../values/schema.ts';
import type { Scope } from '../../values/scopes.ts';
import type { RunKind, ShownRun } from './kind.ts';
import { cancelRun, pageRuns, readRun } from './runs.ts';

interface Words {
  summary: string;
  description: string;
}

interface RunRoutes {
  path: string;
  /** What the API document calls the ids of these runs, such as `conversation-run`. */
  record: string;
  /** The scopes to see a run and to cancel it. */
  scopes: { see: Scope; cancel: Scope };
  list: Words;
  read: Words;
  /** `action`: the name in the audit log. */
  cancel: Words & { action: string };
}

/** Declares the operations below the path that starts a run. */
export function runRoutes<R extends ShownRun>(
  app: FastifyInstance,
  access: Access,
  kind: RunKind<R>,
  { path, record, scopes, ...words }: RunRoutes,
): void {
  const params = Type.Object({ id: recordId(record) });
  operation(app, access, {
    method: 'GET',
    path,
    scope: scopes.see,
    ...words.list,
    query: pageQuery('-createdAt', {
      status: Type.Optional(oneOf(kind.statuses, 'Only records with this status')),
    }),
    answers: { 200: pageSchema(kind.schema) },
    handler: (tenant, { query }) => pageRuns(tenant, kind, query),
  });
  operation(app, access, {
    method: 'GET',
    path: `${path}/:id`,
    scope: scopes.see,
    ...words.read,
    params,
    answers: { 200: kind.schema },
    handler: ({ read }, asked) => readRun(read, kind, asked.params.id),
  });
  operation(app, access, {
    method: 'POST',
    path: `${path}/:id/cancel`,
    scope: scopes.cancel,
    ...words.cancel,
    params,
    answers: { 201: kind.schema },
    handler: (tenant, asked) => cancelRun(tenant, kind, asked.params.id),
    again: ({ read }, id) => readRun(read, kind, id),
  });
}
