/** Errors as Evolution API answers them. */
import type { AppError } from '../../platform/values/errors.ts';
import type { InnerAnswer } from '../inner-calls.ts';
import type { JsonObject } from '../json.ts';

// As STATUS_CODES of node:http, which would load Node's HTTP client with it: megabytes that nothing uses.
const NAMES = new Map([
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [408, 'Request Timeout'],
  [409, 'Conflict'],
  [413, 'Payload Too Large'],
  [415, 'Unsupported Media Type'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
  [507, 'Insufficient Storage'],
]);

/** What its channel of the Cloud API answers to all that this channel cannot do. */
const REFUSAL = 'Method not available on WhatsApp Business API';

/** An error for the caller. `message` has what Evolution's own error would have. */
export class EvolutionError extends Error {
  override name = 'EvolutionError';
  readonly status: number;
  readonly response: JsonObject;
  headers: Record<string, string> = {};

  constructor(status: number, message: unknown[], more: JsonObject = {}) {
    super(JSON.stringify(message));
    this.status = status;
    this.response = { message, ...more };
  }
}

export const refused = (): EvolutionError => new EvolutionError(400, [REFUSAL]);
export const badRequest = (message: string): EvolutionError => new EvolutionError(400, [message]);
/** Evolution lists what its schemas refuse inside of the list. */
export const invalidBody = (...sentences: string[]): EvolutionError => new EvolutionError(400, [sentences]);
export const required = (...names: string[]): EvolutionError =>
  invalidBody(...names.map((name) => `instance requires property "${name}"`));
export const noInstance = (name: string): EvolutionError =>
  new EvolutionError(404, [`The "${name}" instance does not exist`]);

export interface ErrorBody {
  status: number;
  error: string;
  response: JsonObject;
}

const UNAUTHORIZED = 401;

/** Returns the body of an answer to an error of this platform or of the door. */
export function describeError(error: EvolutionError | AppError): ErrorBody {
  const { status } = error;
  const name = NAMES.get(status) ?? 'Error';
  if (error instanceof EvolutionError) return { status, error: name, response: error.response };
  if (status === UNAUTHORIZED) return { status, error: name, response: { message: name } };
  return {
    status,
    error: name,
    response: { message: [`${error.code}: ${error.message}`], parley: { code: error.code } },
  };
}

/** Makes the error for the problem with which an operation has answered. */
export function fromProblem({ body, retryAfter }: Pick<InnerAnswer, 'body' | 'retryAfter'>): EvolutionError {
  const { status, code, detail, errors = [] } = body;
  const fields = (errors as JsonObject[]).map(({ path, message }) => `${path} ${message}`);
  const error = new EvolutionError(status as number, [`${code}: ${detail}`], { parley: { code, errors: fields } });
  if (retryAfter !== undefined) error.headers['retry-after'] = retryAfter;
  return error;
}
