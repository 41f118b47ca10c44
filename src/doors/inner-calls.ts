/**
 * Calls operations of the API inside the process. A door translates the requests of another protocol into such calls, so scopes, tenancy,
 * limits, Idempotency-Keys and the audit hold for it as for every other caller.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { markVia, type Via } from '../platform/http/via.ts';
import type { JsonObject } from './json.ts';

export interface InnerCall {
  /** A value that is undefined or null is left out; an object is written as JSON. */
  query?: Record<string, string | number | boolean | object | null | undefined>;
  body?: object;
  idempotencyKey?: string;
}

export interface InnerAnswer {
  status: number;
  body: JsonObject;
}

export type CallOperation = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  call?: InnerCall,
) => Promise<InnerAnswer>;

// The headers of the outer request that the operation also gets: they say who calls.
const PASSED_ON = ['authorization', 'x-company-id', 'user-agent', 'host'] as const;

/** Returns the function that calls operations for the caller of this request. */
export function openInnerCalls(app: FastifyInstance, request: FastifyRequest, via: Via): CallOperation {
  const headers = markVia(via);
  for (const name of PASSED_ON) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  return async (method, path, { query = {}, body, idempotencyKey } = {}) => {
    const response = await app.inject({
      method,
      url: path,
      query: writeQuery(query),
      headers: {
        ...headers,
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { payload: JSON.stringify(body) }),
      remoteAddress: request.ip,
    });
    return { status: response.statusCode, body: response.json<JsonObject>() };
  };
}

const writeQuery = (query: NonNullable<InnerCall['query']>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === null
        ? []
        : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
    ),
  );
