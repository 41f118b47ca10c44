/** How an operation's declaration becomes its entry in the OpenAPI document. */
import { Type, type TSchema } from 'typebox';
import { ERRORS, Problem } from './errors.ts';
import { inForm, ref } from './schema.ts';

interface Described {
  method: string;
  path: string;
  tag: string;
  summary: string;
  description?: string;
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  form?: unknown;
  answers: Record<number, TSchema>;
  errors?: (keyof typeof ERRORS)[];
  /** Present when a repeat with the same Idempotency-Key is understood. */
  again?: unknown;
}

/** What the document says of an operation, but for its problems, and what its requests and answers are checked against. */
export function describeOperation(
  { method, path, params, query, body, answers, ...declaration }: Described,
  secured: boolean,
) {
  const headers = { ...(secured ? COMPANY_HEADER : {}), ...(declaration.again ? KEY_HEADER : {}) };
  return {
    tags: [declaration.tag],
    summary: declaration.summary,
    operationId: operationId(method, path),
    security: secured ? [{ bearer: [] }] : [],
    ...(Object.keys(headers).length > 0 ? { headers: Type.Object(headers) } : {}),
    ...(declaration.description ? { description: declaration.description } : {}),
    ...(params ? { params } : {}),
    querystring: query ?? Type.Object({}, { additionalProperties: false }),
    ...(body ? { body } : {}),
    ...(declaration.form ? { consumes: ['multipart/form-data'] } : {}),
    response: answers,
  };
}

const COMPANY_HEADER = {
  'x-company-id': Type.Optional(
    Type.String({ description: 'The company that a global key acts for; ignored for company keys and users' }),
  ),
};

const KEY_HEADER = {
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      ...inForm(String.raw`^[\x21-\x7e]+$`, 'must be letters, digits and signs of ASCII without spaces'),
      description: 'Any text of your own: a repeat with the same key and body within 24 hours does nothing twice',
    }),
  ),
};

/** GET /v1/messages/conversation/{id} → getMessagesConversationById */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/v1\//, '')
    .split(/[/-]/)
    .map((word) => (word.startsWith(':') ? `by-${word.slice(1)}` : word))
    .join('-')
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + words.join('');
}

/**
 * What else an operation answers, by status; for the document alone. A problem leaves as it is, and to compile a schema for each
 * would be most of a start.
 */
export function describeProblems(
  { method, params, again, errors = [] }: Described,
  secured: boolean,
): Record<string, object> {
  const statuses = new Set([400, 429, 500, 503]);
  // A global key may name a company that does not exist.
  if (secured) for (const status of [401, 403, 404]) statuses.add(status);
  if (params) statuses.add(404);
  // A body that is not expected is read, too, before it is refused; only that of a GET is left alone.
  if (method !== 'GET') for (const status of [413, 415]) statuses.add(status);
  if (again) for (const status of [409, 422]) statuses.add(status);
  for (const code of errors) statuses.add(ERRORS[code].status);
  return Object.fromEntries([...statuses].toSorted((a, b) => a - b).map((status) => [status, problemSchema(status)]));
}

function problemSchema(status: number) {
  const codes = Object.entries(ERRORS).filter(([, error]) => error.status === status);
  return {
    description: codes.map(([code]) => code).join(', '),
    content: { 'application/problem+json': { schema: ref(Problem) } },
  };
}
