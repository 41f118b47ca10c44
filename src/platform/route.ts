/**
 * How a room declares an operation: path, scope, schemas per status, and a handler of one expression. The declaration is
 * everything: access is checked before the body is read, the body before the handler runs, and only named fields leave.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static, type TSchema } from 'typebox';
import type { Authenticator, Principal } from './auth.ts';
import { checkText } from './body.ts';
import { AppError, ERRORS, notFound, Problem } from './errors.ts';
import { isId } from './ids.ts';
import { ref } from './schema.ts';
import { allows, type Scope } from './scopes.ts';
import type { Database, Tenant } from './tenant.ts';

export interface Access {
  auth: Authenticator;
  database: Database;
  companyExists(companyId: string): Promise<boolean>;
}

interface Asked<P extends TSchema, Q extends TSchema, B extends TSchema> {
  params: Static<P>;
  query: Static<Q>;
  body: Static<B>;
  /** For the few operations whose status depends on what happened. */
  reply: FastifyReply;
}

interface Declaration<P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  scope: Scope;
  tag: string;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  body?: B;
  /** The first is what a success answers with. */
  answers: Record<number, R>;
  /** Errors beyond those that every operation has. */
  errors?: (keyof typeof ERRORS)[];
  handler: (tenant: Tenant, asked: Asked<P, Q, B>) => Promise<Static<R>>;
}

const ALWAYS = [400, 401, 403, 500, 503];

/** Declares one operation of the API under /v1. */
export function operation<
  P extends TSchema = ReturnType<typeof Type.Object>,
  Q extends TSchema = ReturnType<typeof Type.Object>,
  B extends TSchema = ReturnType<typeof Type.Undefined>,
  R extends TSchema = TSchema,
>(app: FastifyInstance, access: Access, declaration: Declaration<P, Q, B, R>): void {
  const { method, path, scope, params, query, body, answers, handler } = declaration;
  const [success] = Object.keys(answers);
  const tenants = new WeakMap<FastifyRequest, Tenant>();
  app.route({
    method,
    url: path,
    config: { access: scope },
    schema: {
      tags: [declaration.tag],
      summary: declaration.summary,
      operationId: operationId(method, path),
      security: [{ bearer: [] }],
      headers: CompanyHeader,
      ...(declaration.description ? { description: declaration.description } : {}),
      ...(params ? { params } : {}),
      querystring: query ?? Type.Object({}, { additionalProperties: false }),
      ...(body ? { body } : {}),
      response: { ...answers, ...problems(declaration) },
    },
    onRequest: async (request) => {
      checkQueryText(request);
      tenants.set(request, await tenantOf(request, access, scope));
    },
    preValidation: async (request) => refuseSurplusBody(request, body !== undefined),
    handler: async (request, reply) => {
      reply.code(Number(success));
      const tenant = tenants.get(request);
      if (!tenant) throw new Error('a request without a tenant reached its handler');
      return handler(tenant, { params: request.params, query: request.query, body: request.body, reply } as Asked<
        P,
        Q,
        B
      >);
    },
  });
}

const CompanyHeader = Type.Object({
  'x-company-id': Type.Optional(
    Type.String({ description: 'The company that a global key acts for; ignored for company keys and users' }),
  ),
});

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

function problems(declaration: { method: string; params?: TSchema; errors?: (keyof typeof ERRORS)[] }) {
  const statuses = new Set(ALWAYS);
  if (declaration.params) statuses.add(404);
  // A body that is not expected is read, too, before it is refused; only that of a GET is left alone.
  if (declaration.method !== 'GET') for (const status of [413, 415]) statuses.add(status);
  // A global key may name a company that does not exist.
  statuses.add(404);
  for (const code of declaration.errors ?? []) statuses.add(ERRORS[code].status);
  return Object.fromEntries([...statuses].toSorted((a, b) => a - b).map((status) => [status, problemSchema(status)]));
}

function problemSchema(status: number) {
  const codes = Object.entries(ERRORS).filter(([, error]) => error.status === status);
  return {
    description: codes.map(([code]) => code).join(', '),
    content: { 'application/problem+json': { schema: ref(Problem) } },
  };
}

function checkQueryText(request: FastifyRequest): void {
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>)) {
    checkText(name, 'query');
    for (const text of Array.isArray(value) ? value : [value]) if (typeof text === 'string') checkText(text, name);
  }
}

function refuseSurplusBody(request: FastifyRequest, expected: boolean): void {
  // Many clients send {} where nothing is asked for.
  if (!expected && (request.body ?? null) !== null && JSON.stringify(request.body) !== '{}') {
    throw new AppError('VALIDATION_FAILED', 'This operation takes no body', [
      { path: 'body', code: 'ADDITIONAL_PROPERTIES', message: 'is not expected' },
    ]);
  }
}

async function tenantOf(request: FastifyRequest, access: Access, scope: Scope): Promise<Tenant> {
  const principal = await access.auth.authenticate(request.headers.authorization);
  const companyId = await companyOf(request, principal, access);
  if (!allows(principal.scopes, scope)) throw new AppError('FORBIDDEN', `The scope ${scope} is missing`);
  return makeTenant(access.database, companyId, principal);
}

export function makeTenant(database: Database, companyId: string, principal: Principal): Tenant {
  return {
    companyId,
    principal,
    read: database.read(companyId),
    tx: (work) => database.tenantTx(companyId, work),
  };
}

/** `x-company-id` counts for global keys only; everybody else acts for the company of their token. */
async function companyOf(request: FastifyRequest, principal: Principal, access: Access): Promise<string> {
  if (principal.type !== 'global') return principal.companyId;
  const given = request.headers['x-company-id'];
  if (typeof given !== 'string' || given === '') throw new AppError('COMPANY_ID_REQUIRED');
  if (!isId(given) || !(await access.companyExists(given))) throw notFound();
  return given;
}
