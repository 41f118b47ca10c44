/** Assembles the HTTP server from the routes of each feature and the apps of web/. Both are listed by hand, so this file shows everything. */
import type { FastifyInstance } from 'fastify';
import { apiKeyRoutes } from './features/api-keys/routes.ts';
import { assistRoutes } from './features/assist/routes.ts';
import { attachmentRoutes } from './features/attachments/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { authRoutes } from './features/auth/routes.ts';
import { bulkRoutes } from './features/bulk/routes.ts';
import { businessRoutes } from './features/businesses/routes.ts';
import { campaignRoutes } from './features/campaigns/routes.ts';
import { companyRoutes } from './features/companies/routes.ts';
import { singleSignOnRoutes } from './features/single-sign-on/routes.ts';
import { connectedAppRoutes } from './features/connected-apps/routes.ts';
import { contactDataRoutes } from './features/contact-data/routes.ts';
import { contactNoteRoutes } from './features/contacts/notes/routes.ts';
import { contactRunRoutes } from './features/contacts/bulk/routes.ts';
import { contactRoutes } from './features/contacts/routes.ts';
import { conversationRunRoutes } from './features/conversations/bulk/routes.ts';
import { conversationRoutes } from './features/conversations/routes.ts';
import { participantRoutes } from './features/conversations/participants/routes.ts';
import { customFieldRoutes } from './features/custom-fields/routes.ts';
import { inboundRoutes } from './features/inbound/routes.ts';
import { inboxRoutes } from './features/inboxes/routes.ts';
import { mcpRoutes } from './features/agents/mcp/routes.ts';
import { agentRoutes } from './features/agents/routes.ts';
import { knowledgeRoutes } from './features/knowledge/routes.ts';
import { liveRoutes } from './features/live/routes.ts';
import { macroRoutes } from './features/macros/routes.ts';
import { mergeRoutes } from './features/merges/routes.ts';
import { inboxHealthRoutes } from './features/messages/inbox-health/routes.ts';
import { messageRoutes } from './features/messages/routes.ts';
import { pushRoutes } from './features/notifications/push/routes.ts';
import { notificationRoutes } from './features/notifications/routes.ts';
import { profileRoutes } from './features/profiles/routes.ts';
import { quickReplyRoutes } from './features/quick-replies/routes.ts';
import { csatPage, csatRoutes } from './features/csat/routes.ts';
import { optOutRoutes } from './features/opt-outs/routes.ts';
import { pipelineRoutes } from './features/pipelines/routes.ts';
import { reportRoutes } from './features/reports/routes.ts';
import { ruleRoutes } from './features/rules/routes.ts';
import { tableRoutes } from './features/tables/routes.ts';
import { viewRoutes } from './features/views/routes.ts';
import { scheduledMessageRoutes } from './features/scheduled-messages/routes.ts';
import { businessHoursRoutes } from './features/business-hours/routes.ts';
import { slaPolicyRoutes } from './features/sla-policies/routes.ts';
import { teamRoutes } from './features/teams/routes.ts';
import { templateRoutes } from './features/templates/routes.ts';
import { userRoutes } from './features/users/routes.ts';
import { webChatRoutes } from './features/web-chat/routes.ts';
import { doorWebhookRoutes } from './features/webhooks/doors/routes.ts';
import { deliveryReplayRoutes } from './features/webhooks/replays/routes.ts';
import { webhookRoutes } from './features/webhooks/routes.ts';
import { evolutionDoor } from './doors/evolution/routes.ts';
import { declareEvolutionFormat } from './doors/evolution/webhook-format.ts';
import { mcpDoor } from './doors/mcp/routes.ts';
import { loadConfig, type Config } from './config.ts';
import type { Kit } from './kit.ts';
import { createVisitCounter } from './platform/http/access.ts';
import { createServer, type ServerOptions } from './platform/http/http.ts';
import {
  describeApi,
  healthRoutes,
  metricsRoute,
  referencePages,
  PLACEHOLDER_HEALTH,
  type Health,
} from './platform/http/service.ts';
import type { ApiDocument } from './platform/http/reference.ts';
import { createLog, createMetrics } from './platform/work/telemetry.ts';
import { webAppRoutes, type WebApp } from './platform/http/web-apps.ts';
import { locateWebBuild } from './platform/http/web-builds.ts';

const rooms = [
  userRoutes,
  teamRoutes,
  businessHoursRoutes,
  slaPolicyRoutes,
  apiKeyRoutes,
  connectedAppRoutes,
  authRoutes,
  profileRoutes,
  auditRoutes,
  customFieldRoutes,
  attachmentRoutes,
  inboxRoutes,
  businessRoutes,
  contactRoutes,
  contactRunRoutes,
  contactNoteRoutes,
  pipelineRoutes,
  companyRoutes,
  singleSignOnRoutes,
  optOutRoutes,
  csatRoutes,
  csatPage,
  conversationRoutes,
  conversationRunRoutes,
  participantRoutes,
  messageRoutes,
  inboxHealthRoutes,
  notificationRoutes,
  pushRoutes,
  quickReplyRoutes,
  viewRoutes,
  templateRoutes,
  scheduledMessageRoutes,
  macroRoutes,
  ruleRoutes,
  campaignRoutes,
  knowledgeRoutes,
  agentRoutes,
  mcpRoutes,
  assistRoutes,
  tableRoutes,
  bulkRoutes,
  reportRoutes,
  mergeRoutes,
  contactDataRoutes,
  webhookRoutes,
  deliveryReplayRoutes,
  doorWebhookRoutes,
];

const listApps = (config: Config): WebApp[] => [
  { name: 'set-password', path: '/set-password' },
  // The pages themselves are written for each contact.
  { name: 'public-page', path: '/unsubscribe' },
  { name: 'public-page', path: '/csat' },
  { name: 'guides', path: '/docs/assets' },
  {
    name: 'console',
    path: '/console',
    build: () => locateWebBuild('console', config.DATA_DIR),
    // Files that were just chosen or recorded are shown from the memory of the browser.
    policy: { 'img-src': "'self' blob:", 'media-src': "'self' blob:", 'manifest-src': "'self'" },
    microphone: true,
    visited: ['connect'],
  },
];

export async function buildApi(kit: Kit, health: Health): Promise<FastifyInstance> {
  const count = createVisitCounter(kit.access);
  const app = createServer(kit.log, kit.metrics, { ...serverOptions(kit.config), countPreflight: count });
  await describeApi(app);
  healthRoutes(app, health);
  metricsRoute(app, kit.metrics, kit.config.METRICS_TOKEN);
  for (const declare of rooms) declare(app, kit);
  addChatRoutes(app, kit);
  mcpDoor(app, kit);
  declareEvolutionFormat();
  evolutionDoor(app, kit);
  for (const webApp of listApps(kit.config)) webAppRoutes(app, count, webApp);
  referencePages(app, count);
  return app;
}

/** The rooms that share what stores the messages of networks and visitors, and the live streams. */
function addChatRoutes(app: FastifyInstance, kit: Kit): void {
  const intake = inboundRoutes(app, kit);
  const live = liveRoutes(app, kit);
  webChatRoutes(app, kit, { intake, live });
}

const MEGABYTE = 1024 * 1024;

function serverOptions(config: Config): Omit<ServerOptions, 'countPreflight'> {
  const isProxied = config.TRUSTED_PROXIES.length > 0;
  return {
    proxies: config.TRUSTED_PROXIES,
    bodies: { total: config.BODIES_MB * MEGABYTE, perAddress: config.BODIES_MB_PER_ADDRESS * MEGABYTE },
    // Behind a proxy all connections come from the proxy's address, so a limit per address would apply to all callers together.
    connections: { total: config.CONNECTIONS, perAddress: isProxied ? null : config.CONNECTIONS_PER_ADDRESS },
  };
}

/** Builds the OpenAPI document. The routes' declarations are enough for that, so no database is opened. */
export async function buildOpenApi(): Promise<ApiDocument> {
  const kit = {
    log: createLog('silent'),
    metrics: createMetrics(),
    config: loadConfig({}),
    // What networks call is no part of the description.
    channels: { all: () => [] },
  } as unknown as Kit;
  const app = await buildApi(kit, PLACEHOLDER_HEALTH);
  await app.ready();
  const document = app.swagger() as unknown as ApiDocument;
  await app.close();
  return document;
}
