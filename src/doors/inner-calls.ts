/**
 * Calls operations of the API inside the process. A door translates the requests of another protocol into such calls, so scopes, tenancy,
 * limits, Idempotency-Keys and the audit hold for it as for every other caller.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { markVia, type Via } from '../platform/http/via.ts';
import type { JsonObject } from './json.ts';

export interface InnerCall {
  /** A value that is undefined or null is left out; an object is written as JSON. */
  query?: Record<string, string | number | boolean | object | null | undefined>;
  body?: object;
  /** A form with a file, instead of a body. */
  form?: { parts: Record<string, string>; file: InnerFile };
  idempotencyKey?: string;
}

export interface InnerFile {
  name: string;
  content: Readable;
}

export interface InnerAnswer {
  status: number;
  body: JsonObject;
  /** When a refused call may be repeated, as its header says. */
  retryAfter?: string;
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
  return async (method, path, { query = {}, body, form, idempotencyKey } = {}) => {
    const sent = form ? writeForm(form) : body && { type: 'application/json', payload: JSON.stringify(body) };
    const response = await app.inject({
      method,
      url: path,
      query: writeQuery(query),
      headers: {
        ...headers,
        ...(sent && { 'content-type': sent.type }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(sent && { payload: sent.payload }),
      remoteAddress: request.ip,
    });
    const retryAfter = response.headers['retry-after'];
    return {
      status: response.statusCode,
      body: response.json<JsonObject>(),
      ...(retryAfter !== undefined && { retryAfter }),
    };
  };
}

const quoteName = (name: string): string => name.replaceAll(/[\r\n]/g, ' ').replaceAll(/["\\]/g, String.raw`\$&`);

/** The parts come before the file, because they limit it. */
function writeForm({ parts, file }: NonNullable<InnerCall['form']>): { type: string; payload: Readable } {
  const boundary = randomUUID();
  const begin = (disposition: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  const values = Object.entries(parts).map(([name, value]) => `${begin(`name="${name}"`)}\r\n${value}\r\n`);
  const head = `${values.join('')}${begin(`name="file"; filename="${quoteName(file.name)}"`)}content-type: application/octet-stream\r\n\r\n`;
  async function* write(): AsyncGenerator<Buffer> {
    yield Buffer.from(head);
    yield* file.content as AsyncIterable<Buffer>;
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { type: `multipart/form-data; boundary=${boundary}`, payload: Readable.from(write()) };
}

const writeQuery = (query: NonNullable<InnerCall['query']>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === null
        ? []
        : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
    ),
  );
