/** The HTTP server: strict bodies, request ids, limits, time-outs, one shape of error, a shutdown that cuts no request. */
import { randomUUID } from 'node:crypto';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import { createBodies, LOOK_MS, type Bodies, type BodyLimits } from './bodies.ts';
import { parseJson } from './body.ts';
import { clientErrorHandler } from './client-errors.ts';
import { compileWhenNeeded } from './compilers.ts';
import { boundConnections, type ConnectionLimits } from './connections.ts';
import { databaseProblem } from './db.ts';
import { AppError, notFound, toProblem, type ErrorCode } from './errors.ts';
import { own } from './own.ts';
import { definedSchemas } from './schema.ts';
import { answerUnroutedRequests } from './unrouted.ts';
import { plainLog, type Log, type Metrics } from './telemetry.ts';
import { validationProblem, type Failure } from './validation.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every body that is held in memory is read by it. */
    bodies: Bodies;
  }
  interface FastifyContextConfig {
    /** What a caller needs: a scope, or `public`. A route that names neither does not boot. */
    access?: string;
    /** What the document says of its problems, by status. */
    problems?: Record<string, object>;
  }
}

const BODY_LIMIT = 1024 * 1024;
const HEADER_LIMIT = 16 * 1024;
// A longer part of a path names nothing of ours.
const MAX_PARAM = 200;
// A whole request; its headers alone; an idle connection between two requests; and how often Node looks at the first two.
const REQUEST_MS = 60_000;
const HEADERS_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;
const CHECK_MS = 5_000;
// Nothing goes in or out for so long: whoever reads an answer takes nothing of it. No answer takes as long to begin.
const SILENCE_MS = 65_000;

const NODE_OPTIONS = {
  maxHeaderSize: HEADER_LIMIT,
  headersTimeout: HEADERS_MS,
  connectionsCheckingInterval: CHECK_MS,
  // Node's own refusal of a request without a host has no body: ours has.
  requireHostHeader: false,
  // Of two Authorization headers Node would take the first, and a proxy before us perhaps the second: joined they are neither.
  joinDuplicateHeaders: true,
};

export interface ServerOptions {
  /** Addresses and CIDRs whose word on where a request came from is taken (x-forwarded-for). */
  proxies: string[];
  bodies: BodyLimits;
  connections: ConnectionLimits;
}

const UNBOUNDED = { total: Infinity, perAddress: Infinity };

export function createServer(log: Log, metrics: Metrics, options: Partial<ServerOptions> = {}): FastifyInstance {
  const { proxies = [] } = options;
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    // A line names its request by itself: a logger for each request costs more than the line.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    trustProxy: proxies.length > 0 ? proxies : false,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: SILENCE_MS,
    forceCloseConnections: 'idle',
    // What still arrives on an open connection is answered, and the connection then closed: a stop cuts nobody.
    return503OnClosing: false,
    genReqId: requestId,
    routerOptions: { maxParamLength: MAX_PARAM, ignoreTrailingSlash: false },
    http: NODE_OPTIONS,
    frameworkErrors: (error, request, reply) => sendProblem(toAppError(error), request, reply),
    clientErrorHandler,
  });
  for (const schema of definedSchemas()) app.addSchema(schema);
  compileWhenNeeded(app);
  if (options.connections) boundConnections(app.server, options.connections);
  const bodies = createBodies(options.bodies ?? UNBOUNDED, (bytes) => metrics.bodyBytes.set(bytes));
  readBodies(app, bodies);
  app.setErrorHandler(async (error, request, reply) => {
    const problem = isCutOff(request) ? new AppError('MALFORMED_BODY', 'The request was cut off') : toAppError(error);
    // A full disk is told once, where it is noticed: a line for each refusal would take what is left of it.
    if (problem.status >= 500 && problem.code !== 'STORAGE_FULL')
      log.error({ err: error, request_id: request.id, route: routePattern(request) }, 'request failed');
    // Whoever is refused before its body has come is read for a moment more, so that it listens; whoever is slow is not.
    if (!request.raw.complete && problem.code !== 'REQUEST_TIMEOUT') await bodies.drain(request);
    if (!request.raw.complete) reply.header('connection', 'close');
    return sendProblem(problem, request, reply);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const hasNoHost = request.raw.httpVersion === '1.1' && request.headers.host === undefined;
    done(hasNoHost ? new AppError('MALFORMED_BODY', 'The request names no host') : undefined);
  });
  answerUnroutedRequests(app, MAX_PARAM);
  // A file that the reference page does not have.
  app.setNotFoundHandler((request, reply) => sendProblem(notFound(), request, reply));
  // An expectation that nobody knows is passed over, as HTTP allows: Node's own 417 has neither body nor request id.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const requests = plainLog(log);
  app.addHook('onResponse', (request, reply, done) => {
    recordResponse(requests, metrics, request, reply);
    done();
  });
  refuseOpenRoutes(app);
  closeConnectionsWhileStopping(app);
  return app;
}

/** Whoever hung up in the middle of a body is no failure of ours, and hears no answer. */
const isCutOff = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete;

/** JSON is all that a body is, where a room says nothing else. */
function readBodies(app: FastifyInstance, bodies: Bodies): void {
  app.decorate('bodies', bodies);
  const looking = setInterval(bodies.look, LOOK_MS);
  looking.unref();
  app.addHook('onClose', async () => clearInterval(looking));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_TYPE, async (request: FastifyRequest) => {
    refuseEncoding(request);
    return parseJson(await bodies.receive(request, request.routeOptions.bodyLimit ?? BODY_LIMIT));
  });
}

// JSON is UTF-8; another charset would be read wrongly, so it is refused. Other parameters mean nothing to JSON.
const JSON_TYPE = /^application\/json\s*(;(?!.*charset\s*=\s*(?!"?utf-8"?\s*(;|$))).*)?$/i;

function refuseEncoding(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'A body is sent as it is, without content-encoding');
}

/** An answer given while the server closes ends its connection, which would otherwise be waited for until it is idle too long. */
function closeConnectionsWhileStopping(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', async () => void (closing = true));
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
}

/** A caller's own id is kept when it is harmless in a log. */
function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

function refuseOpenRoutes(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  app.addHook('onReady', async () => {
    // Only now: a plug-in's own hook names the access of its routes after this one has seen them.
    const open = routes.filter((route) => !route.config?.access).map((route) => `${String(route.method)} ${route.url}`);
    if (open.length > 0) throw new Error(`routes without a scope or public: ${open.join(', ')}`);
  });
}

/** Routes of a plug-in that is not ours (the reference page): public, said in one place. */
export function markPublic(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => void (route.config = { ...route.config, access: 'public' }));
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

function sendProblem(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
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
  validation?: Failure[];
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
  const known = own(FRAMEWORK_CODES, code ?? '');
  if (known) return known === 'NOT_FOUND' ? notFound() : new AppError(known);
  if (statusCode === 503) return new AppError('UNAVAILABLE', undefined, [], { 'retry-after': '1' });
  return databaseProblem(error) ?? new AppError('INTERNAL_ERROR');
}
