import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { operation } from '../../platform/route.ts';
import { ref } from '../../platform/schema.ts';
import { createInbox, pageInboxes, readInbox, updateInboxById } from './inboxes.ts';
import { Inbox, InboxCreate, InboxList, InboxParams, InboxQuery, InboxUpdate } from './schemas.ts';

export function inboxRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/inboxes',
    scope: 'inboxes:create',
    summary: 'Connect a channel',
    body: ref(InboxCreate),
    answers: { 201: ref(Inbox) },
    errors: ['AMBIGUOUS_PHONE', 'CHANNEL_IN_USE', 'UNKNOWN_REFERENCE', 'TARGET_NOT_ALLOWED', 'CHANNEL_CONFIG_REQUIRED'],
    handler: (tenant, { body }) => createInbox(kit, tenant, body),
    again: (tenant, id) => readInbox(kit, tenant, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/inboxes',
    scope: 'inboxes:read',
    summary: 'List inboxes',
    query: InboxQuery,
    answers: { 200: InboxList },
    handler: (tenant, { query }) => pageInboxes(kit, tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/inboxes/:id',
    scope: 'inboxes:read',
    summary: 'Read an inbox',
    params: InboxParams,
    answers: { 200: ref(Inbox) },
    handler: (tenant, { params }) => readInbox(kit, tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/inboxes/:id',
    scope: 'inboxes:update',
    summary: 'Change an inbox, close it (DELETED) or open it again (ACTIVE)',
    params: InboxParams,
    body: ref(InboxUpdate),
    answers: { 200: ref(Inbox) },
    errors: ['AMBIGUOUS_PHONE', 'CHANNEL_IN_USE', 'UNKNOWN_REFERENCE', 'TARGET_NOT_ALLOWED', 'CHANNEL_CONFIG_REQUIRED'],
    handler: (tenant, { params, body }) => updateInboxById(kit, tenant, params.id, body),
  });
}
