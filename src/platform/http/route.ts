/**
 * Declares operations of the API: path, scope, schemas per status, and a handler. From the declaration follow the checks of access
 * (before the body is read) and of the body (before the handler runs), the filtering of answers to declared fields, the audit entry, and
 * Idempotency-Key.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Static, TObject, TSchema, TUndefined } from 'typebox';
import { admitAccount, admitAddress, admitRequest, readRequestOrigin, type Access } from './access.ts';
import type { Origin } from './audit.ts';
import type { Principal } from './auth.ts';
import { checkQuery, PUBLIC_BODY_LIMIT, refuseSurplus } from './body.ts';
import { allowAnyOrigin, type OriginRule } from './cross-origin.ts';
import { describeOperation, describeProblems, type DescribedOperation } from './description.ts';
import { fingerprintRequest, runOnce, type KeyAttempt } from './idempotency.ts';
import { addressGroup, addressShare } from './limits.ts';
import { acceptForms, receiveForm, type Form, type FormLimits, type Upload } from './multipart.ts';
import { withNeeds, type Need } from './needs.ts';
import type { Scope } from '../values/scopes.ts';
import { callerShareOwner } from '../store/connection-shares.ts';
import type { SystemTx, Tenant } from '../store/tenant.ts';
import { makeTenant, openRequestTrail, type RequestTrail } from './trail.ts';

/** The caller of an operation on records that belong to no company, such as companies and global keys. */
export interface Caller {
  principal: Principal;
  /** The company that the caller acts for; null for a global key that names none. */
  tenant: Tenant | null;
  read: SystemTx;
  tx<T>(work: (tx: SystemTx) => Promise<T>): Promise<T>;
}

/** A caller without a token. */
export interface Anonymous {
  origin: Origin;
  read: SystemTx;
  /** Runs a transaction; `fromReserve` as in Database.systemTx. */
  tx<T>(work: (tx: SystemTx) => Promise<T>, options?: { fromReserve: boolean }): Promise<T>;
}

interface HandlerInput<P extends TSchema, Q extends TSchema, B extends TSchema> {
  params: Static<P>;
  query: Static<Q>;
  body: Static<B>;
  /** The file of a form; null when none was sent. */
  upload: Upload | null;
  /** A few operations use it to choose the status of their answer. */
  reply: FastifyReply;
}

export interface Declaration<
  W,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  R extends TSchema,
> extends Omit<DescribedOperation, 'scope' | 'globalOnly' | 'needs' | 'summary'> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  params?: P;
  query?: Q;
  /** The schema of the body; for a form an object whose properties are the parts. */
  body?: B;
  /** The operation takes multipart/form-data with one file of at most so many bytes. */
  form?: FormLimits;
  /** Answer schemas by status. The first one is that of a success. */
  answers: Record<number, R>;
  handler: (who: W, asked: HandlerInput<P, Q, B>) => Promise<Static<R>>;
  /** For a POST that creates or sends: reads the created record in its current state, for a repeat with the same Idempotency-Key. */
  again?: (who: W, id: string, asked: HandlerInput<P, Q, B>) => Promise<Static<R>>;
}

interface Documented {
  summary: string;
}

interface Scoped<A> extends Documented {
  scope: Scope | null;
  /** Scopes that some requests need in addition to `scope`. */
  needs?: Need<A>[];
}

type Empty = TObject;
type NoBody = TUndefined;

/** Declares one operation of the API under /v1 that acts for a company. With `scope` null every valid token is admitted. */
export function operation<
  P extends TSchema = Empty,
  Q extends TSchema = Empty,
  B extends TSchema = NoBody,
  R extends TSchema = TSchema,
>(app: FastifyInstance, access: Access, given: Declaration<Tenant, P, Q, B, R> & Scoped<HandlerInput<P, Q, B>>): void {
  const declaration = withNeeds(access, given);
  const { scope, withoutSecondFactor } = declaration;
  declareRoute(app, declaration, {
    access,
    name: scope ?? 'token',
    asks: 'company',
    origins: allowAnyOrigin,
    enter: (request, reply) => admitRequest(access, request, reply, { scope, needsCompany: true, withoutSecondFactor }),
    pass: ({ companyId }, payload) => access.answers.pass(companyId ?? '', payload, declaration.method !== 'GET'),
    who: ({ principal, companyId }, trail) => {
      if (companyId === null) throw new Error('a request without a company reached its handler');
      return makeTenant(access.database, companyId, principal, trail);
    },
  });
}

/** Declares an operation on records that may belong to no company. With `scope` null every valid token is admitted. */
export function installationOperation<
  P extends TSchema = Empty,
  Q extends TSchema = Empty,
  B extends TSchema = NoBody,
  R extends TSchema = TSchema,
>(
  app: FastifyInstance,
  access: Access,
  declaration: Declaration<Caller, P, Q, B, R> & Documented & { scope: Scope | null; globalOnly?: true },
): void {
  const { scope, globalOnly, withoutSecondFactor } = declaration;
  declareRoute(app, declaration, {
    access,
    name: scope ?? 'token',
    asks: 'token',
    origins: allowAnyOrigin,
    enter: (request, reply) =>
      admitRequest(access, request, reply, { scope, needsCompany: false, globalOnly, withoutSecondFactor }),
    who: ({ principal, companyId }, trail) => {
      const { database } = access;
      const behalf = callerShareOwner(companyId, principal.id);
      return {
        principal,
        tenant: companyId === null ? null : makeTenant(database, companyId, principal, trail),
        read: database.system(behalf),
        tx: (work) => database.systemTx(behalf, (tx) => (trail ? trail.follow(tx, work) : work(tx))),
      };
    },
  });
}

/** Declares an operation without a token. `account` returns the account whose attempts are counted, in addition to those of the address. */
export function publicOperation<B extends TSchema, R extends TSchema>(
  app: FastifyInstance,
  access: Access,
  declaration: Declaration<Anonymous, Empty, Empty, B, R> & Documented & { account?: (body: Static<B>) => string },
): void {
  const { account, handler } = declaration;
  const counted: typeof declaration = {
    ...declaration,
    handler: async (anonymous, asked) => {
      if (account) await admitAccount(access, account(asked.body));
      return handler(anonymous, asked);
    },
  };
  declareRoute(app, counted, {
    access,
    name: 'public',
    asks: 'nothing',
    bodyLimit: PUBLIC_BODY_LIMIT,
    enter: async (request, reply) => {
      await admitAddress(access, request, reply);
      return readRequestOrigin(request);
    },
    who: (origin) => {
      const behalf = addressShare(origin.address);
      const { database } = access;
      return {
        origin,
        read: database.system(behalf),
        tx: (work, options) => database.systemTx(behalf, work, options),
      };
    },
  });
}

/** How a room admits callers that it knows by itself, such as the visitors of a web chat. */
type Reception<W> = Pick<OperationKind<W, W>, 'name' | 'origins' | 'bodyLimit' | 'enter'>;

/** Declares an operation whose callers its room admits. The document of the API leaves it out. */
export function guestOperation<
  W extends object,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  R extends TSchema,
>(app: FastifyInstance, access: Access, declaration: Declaration<W, P, Q, B, R>, reception: Reception<W>): void {
  declareRoute(app, declaration, { ...reception, access, asks: 'nothing', who: (guest) => guest });
}

/** The differences between the kinds of operations: how a request is admitted, and which values the handler receives. */
interface OperationKind<E, W> {
  access: Access;
  name: string;
  asks: 'company' | 'token' | 'nothing';
  origins?: OriginRule;
  /** The most bytes of a body; the server's limit when absent. */
  bodyLimit?: number;
  enter(request: FastifyRequest, reply: FastifyReply): Promise<E>;
  /** Counts or slows down the answer before it is sent. */
  pass?(entered: E, payload: unknown): unknown;
  who(entered: E, trail: RequestTrail | null): W;
}

function declareRoute<E extends object, W, P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema>(
  app: FastifyInstance,
  declaration: Declaration<W, P, Q, B, R>,
  kind: OperationKind<E, W>,
): void {
  const { method, path, body, form } = declaration;
  const success = Number(Object.keys(declaration.answers)[0]);
  const entered = new WeakMap<FastifyRequest, E>();
  const forms = new WeakMap<FastifyRequest, Form>();
  const route: RouteOptions = {
    method,
    url: path,
    config: { access: kind.name, origins: kind.origins, problems: describeProblems(declaration, kind) },
    schema: describeOperation(declaration, kind.asks !== 'nothing'),
    ...(kind.bodyLimit === undefined ? {} : { bodyLimit: kind.bodyLimit }),
    onRequest: async (request, reply) => {
      entered.set(request, await kind.enter(request, reply));
      checkQuery(request.query as Record<string, unknown>);
    },
    preValidation: async (request, reply) => {
      if (!form) return body === undefined ? refuseSurplus(request.body) : undefined;
      const owner = admittedCompany(entered.get(request)) ?? addressGroup(request.ip);
      const received = await receiveForm(request, reply, { ...form, body, owner });
      forms.set(request, received);
      request.body = received.body;
    },
    onSend: (request, _reply, payload, done) => done(null, passAnswer(kind, entered.get(request), payload)),
    handler: async (request, reply) => {
      const who = entered.get(request);
      if (!who) throw new Error('a request that did not enter reached its handler');
      reply.code(success);
      const received = forms.get(request) ?? null;
      received?.hold();
      try {
        return await respond({ declaration, kind, entered: who, upload: received?.upload ?? null, request, reply });
      } finally {
        await received?.discard();
      }
    },
  };
  if (!form) app.route(route);
  // A form needs another body parser, which Fastify allows only in an encapsulated context.
  else
    void app.register(async (inner) => {
      await acceptForms(inner);
      inner.route(route);
    });
}

const admittedCompany = (entered: object | undefined): string | null =>
  (entered as { companyId?: string | null } | undefined)?.companyId ?? null;

/** Counts or slows down an answer before it is sent. The answer to a request that was not admitted is sent as it is. */
const passAnswer = <E>({ pass }: Pick<OperationKind<E, never>, 'pass'>, entered: E | undefined, payload: unknown) =>
  entered && pass ? pass(entered, payload) : payload;

interface AnswerInput<E, W, P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema> {
  declaration: Declaration<W, P, Q, B, R>;
  kind: OperationKind<E, W>;
  entered: E;
  upload: Upload | null;
  request: FastifyRequest;
  reply: FastifyReply;
}

function respond<E extends object, W, P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema>({
  declaration: { handler, again, ...declaration },
  kind,
  entered,
  upload,
  request,
  reply,
}: AnswerInput<E, W, P, Q, B, R>): Promise<Static<R>> {
  const { params, query, body } = request;
  const asked = { params, query, body, upload, reply } as HandlerInput<P, Q, B>;
  const caller =
    'principal' in entered ? (entered as unknown as { principal: Principal; companyId: string | null }) : null;
  const run = (attempt: KeyAttempt | null): Promise<Static<R>> => {
    const writes = caller && declaration.method !== 'GET' && declaration.action !== null;
    return handler(kind.who(entered, writes ? openRequestTrail(declaration, caller, request, attempt) : null), asked);
  };
  const key = request.headers['idempotency-key'];
  if (!again || !caller || typeof key !== 'string') return run(null);
  return runOnce(kind.access.database.system(callerShareOwner(caller.companyId, caller.principal.id)), {
    owner: { company: caller.companyId, principal: caller.principal.id, key },
    fingerprint: fingerprintRequest(request.method, request.url, body),
    run: async (attempt) => ({ answer: await run(attempt), status: reply.statusCode }),
    again: (id, status) => {
      reply.header('idempotent-replayed', 'true').code(status ?? reply.statusCode);
      return again(kind.who(entered, null), id, asked);
    },
  });
}
