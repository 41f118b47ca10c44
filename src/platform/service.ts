/** Routes for operators and developers: health checks, metrics, the OpenAPI document and the reference pages. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Type, type TSchema } from 'typebox';
import type { CountVisit } from './access.ts';
import { createAssetSender } from './asset.ts';
import { TAGS } from './description.ts';
import { guideRoutes } from './guides/routes.ts';
import { AppError } from './errors.ts';
import { markRoutesPublic, sendProblem } from './http.ts';
import { completeDocument, readDocument, type ApiDocument } from './reference.ts';
import { oneOf } from './schema.ts';
import { isSameSecret } from './secrets.ts';
import type { Metrics } from './telemetry.ts';
import { pageHeaders, readSource } from './web-apps.ts';

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
      tags: TAGS.map(([name, description]) => ({ name, description })),
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

// The plug-in's own content security policy would allow other hosts and redirect plain HTTP to HTTPS. Its style sheet contains pictures.
const REFERENCE_HEADERS = pageHeaders({ policy: { 'img-src': "'self' data:" } });

/** Serves the OpenAPI document, a page that shows it without loading from other hosts, and the guides. `/` redirects to the console. */
export async function referencePages(app: FastifyInstance, count: CountVisit): Promise<void> {
  const serveDocument = createAssetSender('application/json; charset=utf-8', readDocument);
  const options = { config: { access: 'public' }, onRequest: count };
  app.get('/openapi.json', options, serveDocument);
  // The redirect is relative, so that a proxy may serve the platform below a prefix.
  app.get('/', options, (_, reply) => reply.redirect('console'));
  guideRoutes(app, count);
  // These are former addresses of the OpenAPI document.
  for (const path of ['/docs/json', '/docs/yaml'])
    app.get(path, options, (_, reply) => reply.redirect('../openapi.json'));
  await app.register(async (pages) => {
    markRoutesPublic(pages);
    pages.addHook('onRequest', count);
    pages.addHook('onRequest', async (_, reply) => void reply.headers(REFERENCE_HEADERS));
    // The plug-in would render the document for each request, which takes a second for YAML. JSON is valid YAML, so both addresses serve
    // the same file.
    pages.addHook('onRoute', (route) => {
      if (/\/(json|yaml)$/.test(route.url)) route.handler = serveDocument;
      // The plug-in would need the content of these files at the start; they are served on the first request instead.
      if (route.url.endsWith('/page.css'))
        route.handler = createAssetSender('text/css', () => readSource('reference', 'page.css'));
      if (route.url.endsWith('/page.js'))
        route.handler = createAssetSender('text/javascript', () => readSource('reference', 'page.ts'));
    });
    await pages.register(swaggerUi, {
      routePrefix: '/docs/api',
      theme: {
        title: 'Parley API reference',
        css: [{ filename: 'page.css', content: '' }],
        js: [{ filename: 'page.js', content: '' }],
      },
      // BaseLayout has no top bar, whose logo uses an inline style that the content security policy forbids.
      // The page needs half a minute on a busy machine to draw all operations at once, so the groups are opened one by one.
      uiConfig: { deepLinking: true, layout: 'BaseLayout', defaultModelsExpandDepth: 0, docExpansion: 'none' },
    });
  });
}
