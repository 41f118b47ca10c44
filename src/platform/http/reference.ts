/**
 * Completes the OpenAPI document with tags, scopes, answer headers, examples, and webhooks for the events. This happens when the document is
 * written (npm run openapi), so it costs nothing at the start. The examples are a file in docs/reference/.
 */
import { readFileSync } from 'node:fs';
import { EVENTS } from '../store/events.ts';
import { ERRORS, AppError, type ErrorCode } from '../values/errors.ts';
import { getOwnProperty } from '../values/own-property.ts';
import { definedSchemas } from '../values/schema.ts';
import { listTags, type Tag } from './description.ts';
import type { DescribedNeed } from './needs.ts';
import { toProblem } from './problem.ts';

interface Schema {
  $ref?: string;
  description?: string;
}

interface Media {
  example?: unknown;
  examples?: Record<string, object>;
}

interface DocumentedAnswer {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
}

interface DocumentedOperation {
  operationId: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, DocumentedAnswer>;
  'x-scope'?: string;
  'x-global-only'?: boolean;
  'x-needs'?: DescribedNeed[];
}

/** The parts of an OpenAPI document that are completed here. */
export interface ApiDocument {
  tags?: Tag[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks?: object;
  components: { schemas: Record<string, Schema>; headers?: object; examples?: object };
}

interface EventAbout {
  summary: string;
  data: string;
  isChange?: true;
}

interface RecordedExamples {
  /** The recorded bodies of each operation, by its operationId. */
  operations: Record<string, { request?: unknown; answer?: unknown }>;
  /** The body of a delivery by the event's name. */
  events: Record<string, object>;
}

/** Reads a file of docs/reference, which says what the code does not. */
export const readReferenceFile = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../docs/reference/${name}.json`, import.meta.url), 'utf8'));

/**
 * Reads the committed openapi.json, which the checks compare with the routes. Building it at run time would block the process for more
 * than a tenth of a second. Without line breaks and indentation it is half as large.
 */
export const readDocument = (): string =>
  readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8').replaceAll(/\n */g, '');

/** Completes the document in place and returns it. */
export function completeDocument(document: ApiDocument): ApiDocument {
  const recorded = readReferenceFile('examples') as RecordedExamples;
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    describeScope(operation);
    showAnswers(operation);
    showExamples(operation, recorded);
  }
  for (const schema of definedSchemas()) {
    const shown = getOwnProperty(document.components.schemas, (schema as { $id: string }).$id);
    if (shown) describeReferences(shown, schema);
  }
  document.components = { ...document.components, headers: HEADERS, examples: makeProblemExamples(document) };
  document.tags = listTags();
  document.webhooks = describeWebhooks(recorded);
  return document;
}

function describeScope(operation: DocumentedOperation): void {
  const { 'x-scope': scope, 'x-needs': needs = [] } = operation;
  if (scope !== undefined) operation.security = [{ bearer: [scope] }];
  const taken = scope && `Requires the scope \`${scope}\`${operation['x-global-only'] ? ' and a global key' : ''}.`;
  const also = needs.length > 0 && `Also requires ${needs.map(describeNeed).join('; ')}.`;
  const words = [taken, also].filter(Boolean).join(' ');
  operation.description = [operation.description, words].filter(Boolean).join('\n\n');
}

/** Writes scopes as the documents show them. */
export const listScopes = (scopes: readonly string[]): string =>
  new Intl.ListFormat('en').format(scopes.map((scope) => `\`${scope}\``));

export const describeNeed = ({ scopes, when }: DescribedNeed): string =>
  [listScopes(scopes), when].filter(Boolean).join(' ');

const makeHeader = (description: string, type = 'string', example?: unknown): object => ({
  description,
  schema: { type },
  ...(example === undefined ? {} : { example }),
});

const HEADERS = {
  'x-request-id': makeHeader('The id of the request, set by the caller or generated; it is also in the log'),
  'ratelimit-limit': makeHeader('How many requests the caller can make at once', 'integer', 100),
  'ratelimit-remaining': makeHeader('How many of them are left', 'integer', 99),
  'ratelimit-reset': makeHeader('In how many seconds all of them are available again', 'integer', 1),
  'retry-after': makeHeader('After how many seconds to retry', 'integer', 1),
  'www-authenticate': makeHeader('How to authenticate', 'string', 'Bearer'),
  'idempotent-replayed': makeHeader(
    '`true` if a request with this Idempotency-Key was processed before: nothing was done twice, and the response is its result in its current state',
    'string',
    'true',
  ),
  'content-disposition': makeHeader('The name of the file', 'string', 'attachment; filename="contacts.csv"'),
};
type HeaderName = keyof typeof HEADERS;

/** The names of all headers that the document describes for answers. */
export const ANSWER_HEADERS = Object.keys(HEADERS);

// The text that the plug-in uses for an answer whose schema has no description.
const DEFAULT_DESCRIPTION = 'Default Response';
const RATES: HeaderName[] = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
const HEADERS_BY_STATUS = new Map<string, HeaderName[]>([
  ['401', ['www-authenticate']],
  ['409', ['retry-after']],
  ['429', [...RATES, 'retry-after']],
  ['503', ['retry-after']],
]);

/** What is answered as a file to be saved. */
const FILE_TYPES = new Set(['text/csv', 'text/plain', 'application/zip']);

function showAnswers({ parameters = [], responses }: DocumentedOperation): void {
  const isRepeatable = parameters.some(({ name }) => name === 'idempotency-key');
  for (const [status, answer] of Object.entries(responses)) {
    const isSuccess = status.startsWith('2');
    if (answer.description === DEFAULT_DESCRIPTION) answer.description = status === '201' ? 'Created' : 'Success';
    const names: HeaderName[] = ['x-request-id'];
    if (isSuccess) names.push(...RATES);
    if (isSuccess && isRepeatable) names.push('idempotent-replayed');
    if (isSuccess && Object.keys(answer.content ?? {}).some((type) => FILE_TYPES.has(type)))
      names.push('content-disposition');
    if (status !== '409' || isRepeatable) names.push(...(HEADERS_BY_STATUS.get(status) ?? []));
    answer.headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  }
}

const listMedia = ({ requestBody, responses }: DocumentedOperation): Media[] =>
  [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}));

const JSON_TYPE = 'application/json';

function showExamples(
  { operationId, requestBody, responses }: DocumentedOperation,
  { operations }: RecordedExamples,
): void {
  const { request, answer } = getOwnProperty(operations, operationId) ?? {};
  const asked = requestBody?.content[JSON_TYPE] ?? requestBody?.content['multipart/form-data'];
  if (asked && request !== undefined) asked.example = request;
  for (const [status, { description, content = {} }] of Object.entries(responses)) {
    const problem = content['application/problem+json'];
    const shown = content[JSON_TYPE] ?? Object.values(content)[0];
    if (shown && status.startsWith('2') && answer !== undefined) shown.example = answer;
    if (problem)
      problem.examples = Object.fromEntries(
        description.split(', ').map((code) => [code, { $ref: `#/components/examples/${code}` }]),
      );
  }
}

const REQUEST_ID = '0f6c3d0e-5c52-4b0e-9d39-1f4a7d4c2b11';

/** An example for each error code that any operation can answer. */
function makeProblemExamples({ paths }: ApiDocument): object {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const named = new Set(operations.flatMap(listMedia).flatMap(({ examples = {} }) => Object.keys(examples)));
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => named.has(code));
  return Object.fromEntries(
    codes.map((code) => [code, { summary: ERRORS[code].title, value: toProblem(new AppError(code), REQUEST_ID) }]),
  );
}

/** Copies the descriptions of references from the declared schemas: the plug-in leaves out whatever stands beside a `$ref`. */
function describeReferences(shown: Schema, declared: Schema): void {
  if (declared.$ref && declared.description) shown.description = declared.description;
  for (const [key, part] of Object.entries(declared)) {
    const inner = getOwnProperty(shown as Record<string, unknown>, key);
    if (typeof part === 'object' && typeof inner === 'object' && inner) describeReferences(inner, part);
  }
}

/** Describes each event as a POST to the company's webhook. */
function describeWebhooks(recorded: RecordedExamples): object {
  const describeWebhook = (event: string, about: EventAbout): object => ({
    post: {
      tags: ['Webhooks'],
      summary: about.summary,
      operationId: event,
      description: `Sent to the company's webhook when its events include \`${event}\`; see [the guide](/docs/events#${event}).`,
      parameters: DELIVERY_HEADERS,
      requestBody: {
        required: true,
        content: {
          [JSON_TYPE]: { schema: makeDeliverySchema(event, about), example: getOwnProperty(recorded.events, event) },
        },
      },
      responses: { '2XX': { description: 'Received. Any other response, or none within 10 seconds, is a failure' } },
    },
  });
  return Object.fromEntries(Object.entries(EVENTS).map(([event, about]) => [event, describeWebhook(event, about)]));
}

const makeDeliverySchema = (event: string, { data, isChange }: EventAbout): object => ({
  type: 'object',
  required: ['event', 'timestamp', 'data'],
  properties: {
    event: { type: 'string', enum: [event], description: 'The event' },
    timestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When the event was queued, in the transaction of the change that it reports',
    },
    data: {
      $ref: `#/components/schemas/${data}`,
      description: isChange ? 'What changed, and the record as it is now' : 'The record as its GET returns it',
    },
  },
});

const DELIVERY_HEADERS = [
  ['x-webhook-event', 'The event', true],
  ['x-webhook-delivery', "The delivery's `_id` in the log", true],
  ['x-webhook-replay-of', 'For a replay: the original delivery', false],
].map(([name, description, required]) => ({ name, in: 'header', required, description, schema: { type: 'string' } }));
