import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The answer of an operation; the server writes it. A Buffer is sent unchanged, anything else as JSON. */
export type Answer = { status: number; body: unknown; headers?: Record<string, string> };

export const answer = (body: unknown, status = 200): Answer => ({ status, body });

export function writeAnswer(res: ServerResponse, { status, body, headers }: Answer): void {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  res.writeHead(status, {
    'content-type': 'application/json; charset=UTF-8',
    'content-length': bytes.length,
    ...headers,
  });
  res.end(bytes);
}

/** Reads the whole body. Returns null when it is longer than `maxBytes` or the client disconnected. */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
    });
    req.on('end', () => resolve(size > maxBytes ? null : joinChunks(chunks)));
    // Failure policy: the client has disconnected and gets no answer; the calling code treats null as a bad request.
    req.on('error', () => resolve(null));
  });
}

/** Nearly every body comes in one chunk, which needs no copy. */
function joinChunks(chunks: Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** Parses JSON; undefined when the bytes are not JSON. */
export function parseJson(bytes: Buffer | null): unknown {
  if (bytes === null) return undefined;
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    // Failure policy: JSON never parses to undefined, so each caller can detect it and answer with its own error.
    return undefined;
  }
}

export type Json = Record<string, unknown>;

/** Narrows a value to an object with unknown fields; any other value becomes an empty object. */
export const toObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

/** Returns the property that the object itself has under a key chosen by a caller; inherited properties are ignored. */
export const getOwnProperty = <V>(object: Readonly<Record<string, V>>, key: string): V | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

export const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Waits, but does not keep the process alive. */
export const waitMs = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });
