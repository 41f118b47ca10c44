/**
 * The HTTP server: strict parsing of bodies, request ids, limits, time-outs, one format for all errors, and a shutdown that interrupts no
 * request.
 */
import { randomUUID } from 'node:crypto';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import type { CountVisit } from './access.ts';
import { createBodies, LOOK_MS, type Bodies, type BodyLimits } from './bodies.ts';
import { parseJson } from './body.ts';
import { clientErrorHandler } from './client-errors.ts';
import { compileWhenNeeded } from './compilers.ts';
import { boundConnections, type ConnectionLimits } from './connections.ts';
import { allowOrigins, type OriginRule } from './cross-origin.ts';
import { toDatabaseProblem } from '../store/db.ts';
import { AppError, notFound, type ErrorCode } from '../values/errors.ts';
import { getOwnProperty } from '../values/own-property.ts';
import { toProblem } from './problem.ts';
import { definedSchemas } from '../values/schema.ts';
import { answerUnroutedRequests } from './unrouted.ts';
import { withoutRedaction, type Log, type Metrics } from '../work/telemetry.ts';
import { validationProblem, type ValidationFailure } from './validation.ts';
import { declareLimit } from '../values/limits.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The reader of every request body that is kept in memory. */
    bodies: Bodies;
  }
  interface FastifyContextConfig {
    /** The scope that a caller needs, or `public`. The server does not start when a route has neither. */
    access?: string;
    /** Which pages of other sites may call the route; none without a rule. */
    origins?: OriginRule | undefined;
    /** The route's errors by status, for the OpenAPI document. */
    problems?: Record<string, object>;
  }
}

const BODY_LIMIT = declareLimit(1024 * 1024, { topic: 'Requests', what: 'JSON body', unit: 'bytes', beyond: '413' });
const HEADER_LIMIT = declareLimit(16 * 1024, {
  topic: 'Requests',
  what: 'Headers and URL',
  unit: 'bytes',
  beyond: '431',
});
// The longest parameter in a path; no id or name in a path of the API is longer.
const MAX_PARAM = declareLimit(200, {
  topic: 'Requests',
  what: 'Path parameter',
  unit: 'characters',
  beyond: '404',
});
// Time limits for a whole request, for its headers, and for an idle connection; and how often Node checks the first two.
const REQUEST_MS = declareLimit(60_000, {
  topic: 'Requests',
  what: 'Time to send a request',
  unit: 'ms',
  beyond: '408',
});
const HEADERS_MS = declareLimit(15_000, {
  topic: 'Requests',
  what: 'Time to send the headers',
  unit: 'ms',
  beyond: '408',
});
const KEEP_ALIVE_MS = declareLimit(10_000, {
  topic: 'Requests',
  what: 'Connection without a request',
  unit: 'ms',
  beyond: 'closed',
});
const CHECK_MS = 5_000;
// The time after which a connection without any data in either direction is closed, because its client does not read the answer. Every
// answer begins earlier.
const SILENCE_MS = declareLimit(65_000, {
  topic: 'Requests',
  what: 'Connection without data in either direction',
  unit: 'ms',
  beyond: 'closed',
});

const NODE_OPTIONS = {
  maxHeaderSize: HEADER_LIMIT,
  headersTimeout: HEADERS_MS,
  connectionsCheckingInterval: CHECK_MS,
  // Node's own refusal of a request without a host would have no body; the onRequest hook below sends one.
  requireHostHeader: false,
  // Of two Authorization headers Node would use the first, and a proxy in front of it perhaps the second. Joined into one header, they are
  // not a valid token.
  joinDuplicateHeaders: true,
};

export interface ServerOptions {
  /** Addresses and CIDRs of proxies whose x-forwarded-for header is trusted. */
  proxies: string[];
  bodies: BodyLimits;
  connections: ConnectionLimits;
  /** Counts a request by which a browser asks whether a page of another site may call a route. */
  countPreflight: CountVisit;
}

const UNBOUNDED = { total: Infinity, perAddress: Infinity };

export function createServer(log: Log, metrics: Metrics, options: Partial<ServerOptions> = {}): FastifyInstance {
  const { proxies = [], countPreflight = async () => undefined } = options;
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    // All requests share one logger: a child logger for each request would cost more than the log line, which contains the request id
    // anyway.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    trustProxy: proxies.length > 0 ? proxies : false,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: SILENCE_MS,
    forceCloseConnections: 'idle',
    // During a stop, requests on open connections are answered and the connection is closed afterwards, so that no request is interrupted.
    return503OnClosing: false,
    genReqId: chooseRequestId,
    routerOptions: { maxParamLength: MAX_PARAM, ignoreTrailingSlash: false },
    http: NODE_OPTIONS,
    frameworkErrors: (error, request, reply) => sendProblem(toAppError(error), request, reply),
    clientErrorHandler,
  });
  for (const schema of definedSchemas()) app.addSchema(schema);
  compileWhenNeeded(app);
  if (options.connections) boundConnections(app.server, options.connections);
  const bodies = createBodies(options.bodies ?? UNBOUNDED, (bytes) => metrics.bodyBytes.set(bytes));
  addBodyReader(app, bodies);
  app.setErrorHandler(async (error, request, reply) =>
    sendProblem(await meetFailure(error, request, reply), request, reply),
  );
  app.addHook('onRequest', (request, reply, done) => {
    addFirstHeaders(request, reply);
    const hasNoHost = request.raw.httpVersion === '1.1' && request.headers.host === undefined;
    done(hasNoHost ? new AppError('MALFORMED_BODY', 'The request has no host') : undefined);
  });
  allowOrigins(app);
  answerUnroutedRequests(app, MAX_PARAM, countPreflight);
  // This handler is reached only for missing files of the API reference page.
  app.setNotFoundHandler((request, reply) => sendProblem(notFound(), request, reply));
  // An unknown Expect header is ignored, as HTTP allows. Node's own answer 417 would have neither a body nor a request id.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const requests = withoutRedaction(log);
  app.addHook('onResponse', (request, reply, done) => {
    recordResponse(requests, metrics, request, reply);
    done();
  });
  refuseUndeclaredRoutes(app);
  closeConnectionsWhileStopping(app);
  return app;
}

/** Logs what a handler has thrown, reads the rest of the request, and returns the problem that is answered. */
export async function meetFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<AppError> {
  const problem = isCutOff(request) ? new AppError('MALFORMED_BODY', 'The request was cut off') : toAppError(error);
  // A full disk is logged once, where the platform notices it. A line for each refused request would use up the space that is left.
  if (problem.status >= 500 && problem.code !== 'STORAGE_FULL')
    request.log.error({ err: error, request_id: request.id, route: routePattern(request) }, 'request failed');
  if (problem.code !== 'REQUEST_TIMEOUT') await drainBody(request, reply);
  else if (!request.raw.complete) reply.header('connection', 'close');
  return problem;
}

/** Reads the body of a refused request a little longer, because a client that is still writing would not see the answer. */
export async function drainBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!request.raw.complete) await request.server.bodies.drain(request);
  if (!request.raw.complete) reply.header('connection', 'close');
}

/** Headers of the API's answers: they hold what only their caller may see, and are data whatever a browser takes them for. */
const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function addFirstHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  if (request.url.startsWith('/v1/')) reply.headers(PRIVATE);
}

/** Returns true when the client closed the connection in the middle of its body, which is not an error of the platform. */
const isCutOff = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete;

/** Makes the server accept JSON bodies only; routes with forms replace this parser. */
function addBodyReader(app: FastifyInstance, bodies: Bodies): void {
  app.decorate('bodies', bodies);
  const looking = setInterval(bodies.look, LOOK_MS);
  looking.unref();
  app.addHook('onClose', async () => clearInterval(looking));
  app.removeAllContentTypeParsers();
  acceptJson(app);
}

export const receiveJson = async (request: FastifyRequest): Promise<unknown> =>
  parseJson(await request.server.bodies.receive(request, request.routeOptions.bodyLimit ?? BODY_LIMIT));

/** Makes a part of the server accept JSON bodies, which `receive` reads. */
export function acceptJson(app: FastifyInstance, receive = receiveJson): void {
  app.addContentTypeParser(JSON_TYPE, (request: FastifyRequest) => {
    refuseContentEncoding(request);
    return receive(request);
  });
}

// JSON is always UTF-8, so another charset is refused. Other parameters of the content type are ignored.
const JSON_TYPE = /^application\/json\s*(;(?!.*charset\s*=\s*(?!"?utf-8"?\s*(;|$))).*)?$/i;

function refuseContentEncoding(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without content-encoding');
}

/** Answers during a stop close their connection; otherwise the stop would wait for its keep-alive time-out. */
function closeConnectionsWhileStopping(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', async () => void (closing = true));
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
}

/** Returns the x-request-id of the caller, if it contains only characters that are harmless in a log; else a new id. */
function chooseRequestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

function refuseUndeclaredRoutes(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  app.addHook('onReady', async () => {
    // The routes are checked when the server is ready, because plug-ins set the access of their routes after the onRoute hook above has
    // run.
    const open = routes.filter((route) => !route.config?.access).map((route) => `${String(route.method)} ${route.url}`);
    if (open.length > 0) throw new Error(`routes without a scope or public: ${open.join(', ')}`);
  });
}

function routePattern(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown';
}

function recordResponse(log: Log, metrics: Metrics, request: FastifyRequest, reply: FastifyReply): void {
  const route = routePattern(request);
  const { method } = request;
  metrics.httpSeconds.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  log.info(
    { request_id: request.id, method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
    'request',
  );
}

/** Answers with a problem document. The error handler calls this for whatever a handler throws. */
export function sendProblem(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(error.status)
    .headers({ ...error.headers, 'x-request-id': request.id })
    .type('application/problem+json')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(toProblem(error, request.id));
}

interface FastifyProblem {
  code?: string;
  statusCode?: number;
  validation?: ValidationFailure[];
  validationContext?: string;
}

const FRAMEWORK_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'MALFORMED_BODY',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MALFORMED_BODY',
  FST_ERR_BAD_URL: 'NOT_FOUND',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
  FST_ERR_ASYNC_CONSTRAINT: 'NOT_FOUND',
  FST_STATIC_FORBIDDEN_PATH: 'NOT_FOUND',
};

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, validation, validationContext, statusCode } = (error ?? {}) as FastifyProblem;
  if (validation) return validationProblem(validation, validationContext ?? 'body');
  const known = getOwnProperty(FRAMEWORK_CODES, code ?? '');
  if (known === 'UNSUPPORTED_MEDIA_TYPE')
    return new AppError(known, 'Send the body with content-type: application/json');
  if (known) return known === 'NOT_FOUND' ? notFound() : new AppError(known);
  if (statusCode === 503) return new AppError('UNAVAILABLE', undefined, [], { 'retry-after': '1' });
  return toDatabaseProblem(error) ?? new AppError('INTERNAL_ERROR');
}
