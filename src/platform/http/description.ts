/** Turns the declaration of an operation into its entry in the OpenAPI document. */
import { Type, type TSchema } from 'typebox';
import { ERRORS, type ErrorCode } from '../values/errors.ts';
import type { DescribedNeed } from './needs.ts';
import { Problem } from './problem.ts';
import { canNameRecord, explainedPattern, ref, plain } from '../values/schema.ts';
import type { Scope } from '../values/scopes.ts';

/** The part of an operation's declaration that the document shows. */
export interface DescribedOperation {
  method: string;
  path: string;
  scope?: Scope | null;
  /**
   * The action's name in the audit log, such as `deliveries.replay`, when it differs from the scope; null for an operation that stores
   * nothing. Without a token the handler logs it.
   */
  action?: string | null;
  /** The place of the id whose record is gone after a success; by default the last id in the path of a DELETE. */
  disposes?: string;
  needs?: readonly DescribedNeed[];
  /** Only global keys are admitted. */
  globalOnly?: true;
  /** Users who lack the second factor that their company requires are admitted, so that they can set it up. */
  withoutSecondFactor?: true;
  /** Absent for an operation that the document leaves out. */
  summary?: string;
  description?: string;
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  form?: unknown;
  answers: Record<number, TSchema>;
  /** Errors in addition to those of every operation. */
  errors?: ErrorCode[];
  /** Set when the operation accepts an Idempotency-Key; its value is not looked at here. */
  again?: unknown;
}

export interface Tag {
  name: string;
  description: string;
}

const tags = new Map<string, Tag>();

/** Declares a tag of the document, before its operations: those whose path begins with its name, or with `word`. */
export function declareTag(name: string, description: string, word = name.toLowerCase()): void {
  tags.set(word, { name, description });
}

/** Lists the tags by their names, whose capital letters make no difference. */
export const listTags = (): Tag[] => [...tags.values()].toSorted((a, b) => a.name.localeCompare(b.name, 'en'));

function findTag(path: string): string {
  const [, , word = ''] = path.split('/');
  const tag = tags.get(word);
  if (!tag) throw new Error(`${path}: its room declares no tag for it`);
  return tag.name;
}

/** The name under which the audit log has the operation; undefined for one that writes nothing. */
export const findAuditAction = ({ method, action, scope }: Pick<DescribedOperation, 'method' | 'action' | 'scope'>) =>
  method === 'GET' || action === null ? undefined : (action ?? scope?.replace(':', '.'));

/** Describes an operation without its errors. Requests and answers are validated against the schemas in this description. */
export function describeOperation(
  { method, path, summary, params, query, body, answers, ...declaration }: DescribedOperation,
  secured: boolean,
) {
  const shape = {
    ...(params ? { params } : {}),
    querystring: query ?? Type.Object({}, { additionalProperties: false }),
    ...(body ? { body } : {}),
    response: answers,
  };
  if (summary === undefined) return { hide: true, ...shape };
  const headers = { ...(secured ? COMPANY_HEADER : {}), ...(declaration.again ? KEY_HEADER : {}) };
  return {
    tags: [findTag(path)],
    summary,
    operationId: makeOperationId(method, path),
    security: secured ? [{ bearer: [] }] : [],
    ...(Object.keys(headers).length > 0 ? { headers: Type.Object(headers) } : {}),
    ...(declaration.description ? { description: declaration.description } : {}),
    ...describeEffects({ method, path, ...declaration }),
    ...(declaration.form ? { consumes: ['multipart/form-data'] } : {}),
    ...shape,
  };
}

/** What a client cannot read from the schemas: whom the operation admits, which record is gone afterwards, and what the audit calls it. */
function describeEffects(declaration: Omit<DescribedOperation, 'answers'>): Record<string, unknown> {
  const {
    method,
    path,
    globalOnly,
    needs = [],
    disposes = method === 'DELETE' ? /(?<=:)\w+$/.exec(path)?.[0] : undefined,
  } = declaration;
  const action = findAuditAction(declaration);
  return {
    ...(globalOnly ? { 'x-global-only': true } : {}),
    ...(needs.length > 0 ? { 'x-needs': needs.map(({ scopes, when }) => ({ scopes, when })) } : {}),
    ...(disposes ? { 'x-disposes': disposes } : {}),
    ...(action ? { 'x-audit-action': action } : {}),
  };
}

const COMPANY_HEADER = {
  'x-company-id': Type.Optional(
    plain.text('The company that a global key acts for; ignored for company keys and users'),
  ),
};

const KEY_HEADER = {
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      ...explainedPattern(String.raw`^[\x21-\x7e]+$`, 'must be letters, digits and signs of ASCII without spaces'),
      description: 'Any text of your own: repeating the same key and body within 24 hours does nothing twice',
    }),
  ),
};

/** Makes the operation id: for example GET /v1/messages/conversation/{id} becomes getMessagesConversationById. */
function makeOperationId(method: string, path: string): string {
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
 * Lists the errors that an operation can answer, by status. The list is used in the document only: errors are sent without a compiled
 * schema, because compiling one for each would take most of the start.
 */
export function describeProblems(
  { method, params, body, again, globalOnly, withoutSecondFactor, errors = [] }: DescribedOperation,
  { name, asks }: { name: string; asks: 'company' | 'token' | 'nothing' },
): Record<string, object> {
  const codes = new Set<ErrorCode>(EVERYWHERE);
  const add = (...more: ErrorCode[]): void => more.forEach((code) => codes.add(code));
  const secured = asks !== 'nothing';
  if (secured) add('UNAUTHORIZED');
  if (secured && !globalOnly && !withoutSecondFactor) add('SECOND_FACTOR_MISSING');
  // Only operations with a scope (`resource:action`) can refuse a valid token.
  if (name.includes(':')) add('FORBIDDEN');
  if (asks === 'company') add('COMPANY_ID_REQUIRED');
  // With a token every operation can answer NOT_FOUND, because a global key may name an unknown company.
  if (secured || params) add('NOT_FOUND');
  // All methods but GET read the body, even when they expect none, so all of them can answer these errors.
  if (method !== 'GET') add('REQUEST_TIMEOUT', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'STORAGE_FULL');
  if (secured && canNameRecord(body)) add('UNKNOWN_REFERENCE');
  if (again) add('IDEMPOTENCY_IN_FLIGHT', 'IDEMPOTENCY_KEY_REUSED');
  add(...errors);
  const statuses = new Set([...codes].map((code) => ERRORS[code].status).toSorted((a, b) => a - b));
  return Object.fromEntries([...statuses].map((status) => [status, makeProblemSchema(status, codes)]));
}

const EVERYWHERE: ErrorCode[] = [
  'VALIDATION_FAILED',
  'MALFORMED_BODY',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
];

/** Returns the entry of the document for one status. Its description lists the error codes in the order of ERRORS. */
function makeProblemSchema(status: number, codes: ReadonlySet<ErrorCode>) {
  const named = (Object.keys(ERRORS) as ErrorCode[]).filter(
    (code) => codes.has(code) && ERRORS[code].status === status,
  );
  return { description: named.join(', '), content: { 'application/problem+json': { schema: ref(Problem) } } };
}
