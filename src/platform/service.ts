/** What an operator asks a process: is it alive, can it serve, what does it count, what does its API look like. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { AppError } from './errors.ts';
import { markPublic } from './http.ts';
import { sameText } from './secrets.ts';
import type { Metrics } from './telemetry.ts';

export interface Health {
  /** Resolves when the database answers; null when this process is about to stop. */
  ready: (() => Promise<void>) | null;
}

export function healthRoutes(app: FastifyInstance, health: Health): void {
  const schema = { response: { 200: Type.Object({ status: Type.String() }) } };
  app.get('/health/live', { config: { access: 'public' }, schema }, () => ({ status: 'live' }));
  app.get('/health/ready', { config: { access: 'public' }, schema }, async () => {
    if (!health.ready) throw new AppError('UNAVAILABLE', 'The process is stopping', [], { 'retry-after': '1' });
    await health.ready();
    return { status: 'ready' };
  });
}

/** Public on a loopback address; anywhere else only with the operator's own token. */
export function metricsRoute(
  app: FastifyInstance,
  metrics: Metrics,
  options: { open: boolean; token: string | null },
): void {
  app.get('/metrics', { config: { access: 'public' } }, async (request, reply) => {
    const known = options.token !== null && sameText(request.headers.authorization, `Bearer ${options.token}`);
    if (!options.open && !known) throw new AppError('UNAUTHORIZED', undefined, [], { 'www-authenticate': 'Bearer' });
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

const TAGS = [
  ['auth', 'Log-in, lost passwords, who a token speaks for'],
  ['companies', 'The tenants'],
  ['users', 'The people of a company'],
  ['api-keys', 'Keys of integrators'],
  ['audit', 'Who did what to which record'],
  ['messages', 'Reading, sending, notes'],
  ['custom-fields', "Typed fields of the company's own, and what may stand in them"],
  ['businesses', 'The organisations that contacts belong to'],
  ['contacts', 'The people a company talks to'],
  ['tables', "Tables of the company's own making, and their rows"],
  ['pipelines', 'The steps that conversations go through'],
  ['conversations', 'Threads of a contact in an inbox'],
  ['inboxes', 'Connections to messaging channels'],
  ['Webhooks', "The company's webhook and the log of its deliveries"],
] as const;

/** Collects the routes declared after it; read with app.swagger() once the app is ready. */
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
      // Relative: the document is right wherever the platform is reached.
      servers: [{ url: '/' }],
      tags: TAGS.map(([name, description]) => ({ name, description })),
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, response: { ...(schema?.response as object), ...route.config?.problems } },
      url,
    }),
    refResolver: { buildLocalReference: (json) => json['$id'] as string },
  });
}

// Its own policy would let pages load from any host, and sends a browser that came by plain HTTP to HTTPS.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The document, and a page that shows it without any outside host; whoever follows the address of the terminal finds it, too. */
export async function referencePages(app: FastifyInstance): Promise<void> {
  app.get('/openapi.json', { config: { access: 'public' } }, () => app.swagger());
  // Relative, so that a proxy may put the platform below a prefix.
  app.get('/', { config: { access: 'public' } }, (_, reply) => reply.redirect('docs'));
  await app.register(async (pages) => {
    markPublic(pages);
    await pages.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: POLICY,
      theme: { title: 'Parley' },
      // Without the bar above it, whose logo brings a style inline, which no policy of ours allows.
      uiConfig: { deepLinking: true, layout: 'BaseLayout' },
    });
  });
}
