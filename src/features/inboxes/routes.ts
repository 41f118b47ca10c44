import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createInbox, pageInboxes, readInbox, updateInboxById } from './inboxes.ts';
import { checkNumbers } from './check-numbers.ts';
import { pairInbox } from './pairing.ts';
import { makeConnectLink } from './log-in.ts';
import {
  CheckedNumbers,
  ConnectLink,
  Inbox,
  InboxCreate,
  InboxList,
  InboxPairing,
  InboxParams,
  InboxQuery,
  InboxUpdate,
  NumberCheck,
} from './schemas.ts';

export function inboxRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('inboxes', 'Connections to messaging channels');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/inboxes',
    scope: 'inboxes:create',
    summary: 'Connect a channel',
    description:
      'The settings of a channel are in the property with its name, such as `api_wap_config`. The platform ' +
      'checks them at the network: `connection` in the response is CONNECTED, PENDING while it retries, or ' +
      'ERROR with what you have to correct.',
    body: ref(InboxCreate),
    answers: { 201: ref(Inbox) },
    errors: ['CHANNEL_IN_USE', 'INSTANCE_EXISTS', 'TARGET_NOT_ALLOWED', 'CHANNEL_CONFIG_REQUIRED'],
    handler: (tenant, { body }) => createInbox(kit, tenant, body),
    again: (tenant, id) => readInbox(kit, tenant, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/inboxes',
    scope: 'inboxes:read',
    summary: 'List inboxes',
    description:
      'Closed inboxes (DELETED) are listed as well; filter by `status` and `channel`. Secrets are shown masked.',
    query: InboxQuery,
    answers: { 200: InboxList },
    handler: (tenant, { query }) => pageInboxes(kit, tenant, query),
  });
  oneInboxRoutes(app, kit);
  pairingRoute(app, kit);
  checkNumbersRoute(app, kit);
  connectLinkRoute(app, kit);
}

function oneInboxRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/inboxes/:id',
    scope: 'inboxes:read',
    summary: 'Read an inbox',
    description: 'Returns the settings with masked secrets, and in `connection` whether the network accepts them.',
    params: InboxParams,
    answers: { 200: ref(Inbox) },
    handler: (tenant, { params }) => readInbox(kit, tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/inboxes/:id',
    scope: 'inboxes:update',
    summary: 'Change an inbox, close it (DELETED) or reopen it (ACTIVE)',
    description:
      'Only the given properties change. A masked secret that is sent back keeps the stored one. A DELETED inbox sends nothing, and keeps its conversations.',
    params: InboxParams,
    body: ref(InboxUpdate),
    answers: { 200: ref(Inbox) },
    errors: ['CHANNEL_IN_USE', 'INSTANCE_EXISTS', 'TARGET_NOT_ALLOWED', 'CHANNEL_CONFIG_REQUIRED'],
    handler: (tenant, { params, body }) => updateInboxById(kit, tenant, params.id, body),
  });
}

function pairingRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/inboxes/:id/pairing',
    // Whoever scans the code decides which phone the inbox has.
    scope: 'inboxes:update',
    summary: 'Show the code for pairing a phone with an inbox',
    description:
      'For inboxes whose network is a paired phone (PARTNER_API). Pairing starts with the first request. The ' +
      'network renews the codes continuously, so poll every few seconds until the state is CONNECTED. Codes ' +
      'are not stored.',
    params: InboxParams,
    answers: { 200: ref(InboxPairing) },
    handler: (tenant, { params }) => pairInbox(kit, tenant, params.id),
  });
}

function checkNumbersRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/inboxes/:id/check-numbers',
    scope: 'inboxes:read',
    action: null,
    summary: "Ask an inbox's network which phone numbers it knows",
    description:
      'For inboxes on PARTNER_API, whose gateway looks the numbers up. On other channels `exists` is null, or false for a number ' +
      'that cannot exist. Asking often for numbers that have nothing to do with the company can get its number blocked.',
    params: InboxParams,
    body: ref(NumberCheck),
    answers: { 200: ref(CheckedNumbers) },
    handler: (tenant, { params, body }) => checkNumbers(kit, tenant, params.id, body),
  });
}

function connectLinkRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/inboxes/:id/connect-link',
    scope: 'inboxes:update',
    summary: "Make a link to the network's own log-in, which connects an account to the inbox",
    description:
      'For inboxes whose account comes from a log-in at the network (PROFESSIONAL_NETWORK). The person who ' +
      'logs in behind the link decides which account the inbox gets; the inbox shows it some seconds later. ' +
      'For an inbox that already has an account, the link logs the same account in again. Links are not ' +
      'stored, so each request makes a new one.',
    params: InboxParams,
    answers: { 201: ref(ConnectLink) },
    errors: ['LOG_IN_NOT_SUPPORTED', 'NETWORK_REFUSED'],
    handler: (tenant, { params }) => makeConnectLink(kit, tenant, params.id),
  });
}
