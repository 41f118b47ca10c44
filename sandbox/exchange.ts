import type { IncomingMessage, ServerResponse } from 'node:http';

/** What an operation answers; the server writes it. A Buffer goes out as it is, anything else as JSON. */
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

/** Reads the whole body; null when it is longer than `maxBytes` or the caller went away. */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
    });
    req.on('end', () => resolve(size > maxBytes ? null : joinChunks(chunks)));
    // Failure policy: there is nobody left to answer; the caller sees null as a bad request.
    req.on('error', () => resolve(null));
  });
}

/** Nearly every body comes in one chunk, which needs no copy. */
function joinChunks(chunks: Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** The JSON in the bytes; undefined when they are not JSON. */
export function parseJson(bytes: Buffer | null): unknown {
  if (bytes === null) return undefined;
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    // Failure policy: undefined is never JSON, and each caller answers it with its own error.
    return undefined;
  }
}

export type Json = Record<string, unknown>;

/** The value as an object with unknown fields; an empty one when it is anything else. */
export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

/** The value that the object itself holds under a key that a caller chose: never something that every object inherits. */
export const own = <V>(object: Readonly<Record<string, V>>, key: string): V | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
