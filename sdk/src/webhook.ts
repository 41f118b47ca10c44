/** Receives the platform's webhook: checks the header that was registered with it, and reads the event. */
import type { WebhookEvents } from './generated/schemas.ts';

/** Every event by its name, so that `switch (event.event)` narrows `data`. A newer platform may send further events. */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents];

export type ParsedWebhook = WebhookEvent & {
  /** The `_id` of the delivery in the log. */
  deliveryId: string | null;
  /** The `_id` of the delivery that this one repeats, when somebody has replayed it. */
  replayOf: string | null;
};

/** A header of the webhook's `custom_headers`, with its value. */
export interface RegisteredHeader {
  name: string;
  value: string;
}

/** A request of Node, or of a framework. A body that has been read already stands in `body`: text, bytes or the parsed value. */
export interface IncomingRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body?: unknown;
}

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: 'WRONG_SECRET' | 'UNREADABLE_BODY';
  /** What to answer: 401 or 400. */
  readonly status: 401 | 400;

  constructor(code: WebhookError['code']) {
    super(code === 'WRONG_SECRET' ? 'The registered header is missing or wrong' : 'The body is not an event');
    this.code = code;
    this.status = code === 'WRONG_SECRET' ? 401 : 400;
  }
}

/** Four times the most that the platform sends, so that a stranger cannot fill the memory. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a delivery. Throws a WebhookError when the registered header does not have its value, before the body is read, or when the body is
 * no event.
 */
export async function parseWebhook(
  request: Request | IncomingRequest,
  registered: RegisteredHeader,
): Promise<ParsedWebhook> {
  const given = readHeader(request, registered.name);
  if (given === null || !(await isSameText(given, registered.value))) throw new WebhookError('WRONG_SECRET');
  const body = await readBody(request);
  if (!isEvent(body)) throw new WebhookError('UNREADABLE_BODY');
  return {
    ...body,
    deliveryId: readHeader(request, 'x-webhook-delivery'),
    replayOf: readHeader(request, 'x-webhook-replay-of'),
  };
}

function readHeader({ headers }: Request | IncomingRequest, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const wanted = name.toLowerCase();
  const value = Object.entries(headers as IncomingRequest['headers']).find(
    ([key]) => key.toLowerCase() === wanted,
  )?.[1];
  return (Array.isArray(value) ? value.join(', ') : value) ?? null;
}

/** Compares hashes, in a time that depends on neither of the texts: what a stranger learns from it is nothing about the secret. */
async function isSameText(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all([hash(a), hash(b)]);
  let difference = 0;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
}

const hash = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

async function readBody(request: Request | IncomingRequest): Promise<unknown> {
  const { body = request } = request;
  if (typeof body === 'string') return parseJson(body);
  if (body instanceof Uint8Array) return parseJson(new TextDecoder().decode(body));
  if (typeof body !== 'object' || body === null) return null;
  return Symbol.asyncIterator in body ? parseJson(await readText(body as AsyncIterable<Uint8Array>)) : body;
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new WebhookError('UNREADABLE_BODY');
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Failure policy: the caller is told that the body is no event.
    return null;
  }
}

const isEvent = (body: unknown): body is WebhookEvent => {
  const { event, timestamp, data } = (body ?? {}) as Partial<Record<string, unknown>>;
  return typeof event === 'string' && typeof timestamp === 'string' && typeof data === 'object' && data !== null;
};
