/** The typed client of Parley: `createClient({ url, token })` has a method for each operation of the API. */
import { callUntilAnswered } from './attempts.ts';
import { makeUnreadableError } from './errors.ts';
import { OPERATIONS, type Methods } from './generated/operations.ts';
import type { ClientOptions, Operation } from './operation.ts';
import { makeListMethod, type Page } from './pages.ts';
import { prepareRequest } from './request.ts';
import { openStream } from './stream.ts';

export type Client = Methods;

/** Makes a client. It keeps no connection and needs no closing. */
export function createClient(options: ClientOptions): Client {
  if (!URL.canParse(options.url)) throw new TypeError(`url is not an address: ${options.url}`);
  const groups = Object.entries(OPERATIONS).map(([group, operations]) => {
    const methods = Object.entries(operations).map(([name, operation]) => [name, makeMethod(options, operation)]);
    return [group, Object.fromEntries(methods) as unknown];
  });
  // The generator writes the table of operations and the types of the methods from the same document.
  return Object.fromEntries(groups) as Client;
}

type Method = (...given: unknown[]) => unknown;

function makeMethod(client: ClientOptions, operation: Operation): Method {
  const call =
    <T>(read: (response: Response, attempts: number) => Promise<T>) =>
    async (...given: unknown[]): Promise<T> =>
      callUntilAnswered(client, prepareRequest(client, operation, given), read);
  switch (operation.answer) {
    case 'file':
      // The caller reads the body, as a stream or whole; only the wait for its beginning is limited.
      return call((response) => Promise.resolve(response));
    case 'list':
      return makeListMethod(call<Page<unknown>>(readJson), operation.path.split('{').length - 1);
    case 'stream':
      return (...given) => openStream(client, prepareRequest(client, operation, given));
    default:
      return call(readJson);
  }
}

async function readJson<T>(response: Response, attempts: number): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch {
    // Failure policy: something between this client and the platform has answered; a repetition would answer the same.
    throw makeUnreadableError(text.slice(0, 200), response.status, attempts);
  }
}

export { isParleyError, ParleyError, type AnyParleyError, type ErrorCode } from './errors.ts';
export type * from './generated/operations.ts';
export type * from './generated/schemas.ts';
export type { CallOptions, ClientOptions, StreamOptions } from './operation.ts';
export type { ListMethod, Page, PageMeta } from './pages.ts';
export {
  parseWebhook,
  WebhookError,
  type IncomingRequest,
  type ParsedWebhook,
  type RegisteredHeader,
  type WebhookEvent,
} from './webhook.ts';
