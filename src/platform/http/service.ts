/** Routes for operators and developers: health checks, metrics, the OpenAPI document and the reference pages. */
import swagger from '@fastify/swagger';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Type, type TSchema } from 'typebox';
import type { CountVisit } from './access.ts';
import { createAssetSender } from './asset.ts';
import { guideRoutes } from './guides/routes.ts';
import { AppError } from '../values/errors.ts';
import { sendProblem } from './http.ts';
import { completeDocument, readDocument, type ApiDocument } from './reference.ts';
import { oneOf } from '../values/schema.ts';
import { isSameSecret } from '../store/secrets.ts';
import type { Metrics } from '../work/telemetry.ts';

export interface Health {
  /** A process is ready only while it is `serving`, after its start has prepared everything. */
  phase: 'starting' | 'serving' | 'stopping';
  /** Resolves when the database answers. */
  ping: () => Promise<void>;
  /** False while the disk is too full to write. Reads continue, so the process stays ready. */
  hasRoom: () => boolean;
}

/** A placeholder for an API that is built only to read its OpenAPI document. */
export const PLACEHOLDER_HEALTH: Health = { phase: 'starting', ping: async () => undefined, hasRoom: () => true };

/** Shares one run of `work` among all callers that arrive while it runs, so that a flood of requests costs no more than one request. */
function shareRunningCall<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= work().finally(() => (running = null));
    return running;
  };
}

export function healthRoutes(app: FastifyInstance, health: Health): void {
  const answers = (properties: Record<string, TSchema>) => ({ response: { 200: Type.Object(properties) } });
  const live = answers({ status: Type.String() });
  const ready = answers({ status: Type.String(), storage: oneOf(['ok', 'full']) });
  app.get('/health/live', { config: { access: 'public' }, schema: live }, () => ({ status: 'live' }));
  const ping = shareRunningCall(health.ping);
  app.get('/health/ready', { config: { access: 'public' }, schema: ready }, async (request, reply) => {
    // Sent and not thrown, because a thrown 503 is logged as an error, and a start or a stop is none.
    if (health.phase !== 'serving') return sendProblem(notServing(health.phase), request, reply);
    await ping();
    return { status: 'ready', storage: health.hasRoom() ? 'ok' : 'full' };
  });
}

const notServing = (phase: Health['phase']): AppError =>
  new AppError('UNAVAILABLE', `The process is ${phase}`, [], { 'retry-after': '1' });

/** Serves the metrics: with the operator's token to everybody, and without a token to programs of the same machine. */
export function metricsRoute(app: FastifyInstance, metrics: Metrics, token: string | null): void {
  // Rendering the metrics takes milliseconds, so concurrent requests share one run.
  const render = shareRunningCall(() => metrics.registry.metrics());
  app.get('/metrics', { config: { access: 'public' } }, async (request, reply) => {
    const isKnown =
      token === null ? isFromMachine(request.raw) : isSameSecret(request.headers.authorization, `Bearer ${token}`);
    if (!isKnown) throw new AppError('UNAUTHORIZED', undefined, [], { 'www-authenticate': 'Bearer' });
    return reply.type(metrics.registry.contentType).send(await render());
  });
}

// What proxies add to the requests that they pass on.
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/;

/**
 * Returns true for a request that a program of the same machine sends for itself. A proxy of the same machine is a loopback peer as well; it
 * passes on the name by which strangers call the platform, or says for whom it asks.
 */
function isFromMachine({ socket, headers }: IncomingMessage): boolean {
  const peer = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const isNear = peer === '::1' || peer.startsWith('127.');
  return isNear && LOOPBACK_HOST.test(headers.host ?? '') && FORWARDED.every((name) => !Object.hasOwn(headers, name));
}

/** Registers the plug-in that collects the routes declared after it. app.swagger() returns the document once the app is ready. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Parley',
        version: '1.0',
        description:
          'A multi-tenant customer messaging platform: inboxes, contacts, conversations, messages and one webhook.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      // The URL is relative, so that the document is correct at any address of the platform.
      servers: [{ url: '/' }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => ({
      schema: {
        ...schema,
        response: { ...(schema?.response as object), ...route.config?.problems },
        // Scopes have the form `resource:action`; other kinds of access, such as public, have no colon.
        ...(route.config?.access?.includes(':') ? { 'x-scope': route.config.access } : {}),
      } as typeof schema,
      url,
    }),
    transformObject: (document) =>
      completeDocument((document as { openapiObject: ApiDocument }).openapiObject) as never,
    refResolver: { buildLocalReference: (json) => json['$id'] as string },
  });
}

/** Serves the OpenAPI document, the guides and the pages of the reference. `/` redirects to the console. */
export function referencePages(app: FastifyInstance, count: CountVisit): void {
  const options = { config: { access: 'public' }, onRequest: count };
  app.get('/openapi.json', options, createAssetSender('application/json; charset=utf-8', readDocument));
  // The redirect is relative, so that a proxy may serve the platform below a prefix.
  app.get('/', options, (_, reply) => reply.redirect('console'));
  guideRoutes(app, count);
  // These are former addresses of the OpenAPI document.
  for (const path of ['/docs/json', '/docs/yaml'])
    app.get(path, options, (_, reply) => reply.redirect('../openapi.json'));
}
