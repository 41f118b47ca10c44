/** The API: the rooms in their order. No autoload: what is served is what stands here. */
import type { FastifyInstance } from 'fastify';
import { apiKeyRoutes } from './features/api-keys/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { authRoutes } from './features/auth/routes.ts';
import { businessRoutes } from './features/businesses/routes.ts';
import { companyRoutes } from './features/companies/routes.ts';
import { contactRoutes } from './features/contacts/routes.ts';
import { conversationRoutes } from './features/conversations/routes.ts';
import { customFieldRoutes } from './features/custom-fields/routes.ts';
import { inboundRoutes } from './features/inbound/routes.ts';
import { inboxRoutes } from './features/inboxes/routes.ts';
import { mergeRoutes } from './features/merges/routes.ts';
import { messageRoutes } from './features/messages/routes.ts';
import { pipelineRoutes } from './features/pipelines/routes.ts';
import { tableRoutes } from './features/tables/routes.ts';
import { userRoutes } from './features/users/routes.ts';
import { webhookRoutes } from './features/webhooks/routes.ts';
import type { Kit } from './kit.ts';
import { createServer } from './platform/http.ts';
import { describeApi, healthRoutes, metricsRoute, referencePages, type Health } from './platform/service.ts';
import { createLog, createMetrics } from './platform/telemetry.ts';

const rooms = [
  userRoutes,
  apiKeyRoutes,
  authRoutes,
  auditRoutes,
  customFieldRoutes,
  inboxRoutes,
  businessRoutes,
  contactRoutes,
  pipelineRoutes,
  companyRoutes,
  conversationRoutes,
  messageRoutes,
  tableRoutes,
  mergeRoutes,
  inboundRoutes,
  webhookRoutes,
];

export async function buildApi(kit: Kit, health: Health): Promise<FastifyInstance> {
  const app = createServer(kit.log, kit.metrics, kit.config.TRUSTED_PROXIES);
  await describeApi(app);
  healthRoutes(app, health);
  metricsRoute(app, kit.metrics, { open: kit.config.loopback, token: kit.config.METRICS_TOKEN });
  for (const declare of rooms) declare(app, kit);
  await referencePages(app);
  return app;
}

/** The OpenAPI document, without a database: declarations are all it takes. */
export async function buildOpenApi(): Promise<object> {
  const kit = {
    log: createLog('silent'),
    metrics: createMetrics(),
    config: { loopback: true },
  } as unknown as Kit;
  const app = await buildApi(kit, { ready: null });
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
