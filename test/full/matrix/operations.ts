/**
 * The facts about each operation that the document does not contain: the scope, a request that succeeds, and which of its texts name
 * records. The matrix fails when an operation, or a text of one, is missing here.
 */
import { hashToken } from '../../../src/platform/auth.ts';
import { newId } from '../../../src/platform/ids.ts';
import { ROLE_SCOPES } from '../../../src/platform/scopes.ts';
import { freshEmail, PASSWORD } from '../../support/people.ts';
import type { Platform } from '../../support/platform.ts';
import { createWebhook, type Side } from './companies.ts';
import { cursor, type Entry } from './entry.ts';
import { RECORD_ENTRIES } from './record-operations.ts';

/** Texts that name no record of the platform: words, addresses, and ids of the networks. */
export const PLAIN = new Set([
  'name',
  'number',
  'url',
  'webhook_url',
  'test_mode.test_numbers[]',
  'api_wap_config.phone_number_id',
  'api_wap_config.business_id',
  'api_wap_config.waba_id',
  'api_wap_config.business_token',
  'partner_api_config.base_url',
  'partner_api_config.api_key',
  'partner_api_config.instance_name',
  'message.content',
  'custom_headers.*',
  'custom_headers{}',
  'email',
  'password',
  'new_password',
  // The token of a mailed link names no record.
  'token',
  'owner.name',
  'owner.email',
  'description',
  'domains[]',
  'site',
  'general_config.time_zone',
  'general_config.country',
  'country',
  'document_number',
  'payment_customer_id',
  'subscription.*',
  'onboarding.*',
  'attribution.*',
  'expires_at',
  'title',
  'slug',
  'options[]',
  'tags[]',
  'phone_number',
  'country',
  'professional_network_identifier',
  'external_id',
  'avatar_url',
  'language',
  'domain',
  'custom_fields{}',
  'custom_fields{}[]',
  'tag',
  'snoozed_until',
  'steps[].name',
  'columns[].key',
  'columns[].title',
  'columns[].options[]',
  'drop_columns[]',
  'data.*',
  'data{}',
  'data{}[]',
  // Titles of the columns of a sheet.
  'mapping.*',
  'search',
  'updated_since',
  'action',
  'from',
  'to',
]);

const inboxReferences = { default_agent: 'agent', default_owner: 'user' } as const;

async function ensureWebhook(platform: Platform, own: Side): Promise<void> {
  const [row] = await platform.database.sql<{ _id: string }>('select _id from webhooks where company_id = $1', [
    own._id,
  ]);
  own.records.webhook = row?._id ?? (await createWebhook(platform, own, own.marker));
}

async function dropWebhook({ database }: Platform, own: Side): Promise<void> {
  await database.sql('delete from event_listeners where company_id = $1', [own._id]);
  await database.sql('delete from webhooks where company_id = $1', [own._id]);
}

/** Creates a user whom the next request may delete. */
async function addUser(platform: Platform, own: Side): Promise<void> {
  own.disposable = { user: (await platform.createUser(own._id, 'VIEWER'))._id };
}

async function addKey(platform: Platform, own: Side): Promise<void> {
  own.disposable = { key: (await platform.createKey(own._id, ['contacts:read']))._id };
}

/** Creates a link as it would be mailed. */
async function addLink({ database }: Platform, own: Side, user = own.records.user): Promise<void> {
  own.linkToken = `${own.marker}-link-${newId()}`;
  own.linkUser = user;
  await database.sql(
    `insert into password_tokens (token_hash, company_id, user_id, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
    [hashToken(own.linkToken), own._id, user],
  );
}

/** Creates an invitation for a person who has a password already. */
async function addInvitation(platform: Platform, own: Side): Promise<void> {
  const { _id } = await platform.createUser(own._id, 'VIEWER');
  await platform.database.sql(`update users set status = 'INVITED', accepted_at = null where _id = $1`, [_id]);
  await addLink(platform, own, _id);
}

const text = { content: 'Hello', contentType: 'TEXT' };

export const ENTRIES: Record<string, Entry> = {
  ...RECORD_ENTRIES,
  'GET /v1/users': { scope: 'users:read', references: { after: cursor('user', 'users') } },
  'POST /v1/users': {
    scope: 'users:create',
    also: ROLE_SCOPES.VIEWER,
    body: () => ({ name: 'Ana', email: freshEmail('matrix'), role: 'VIEWER' }),
  },
  'GET /v1/users/{id}': { scope: 'users:read', path: { id: 'user' } },
  'PATCH /v1/users/{id}': {
    scope: 'users:update',
    also: ROLE_SCOPES.VIEWER,
    path: { id: 'user' },
    body: () => ({ language: 'es' }),
  },
  'DELETE /v1/users/{id}': {
    scope: 'users:delete',
    also: ROLE_SCOPES.VIEWER,
    path: { id: 'user' },
    disposes: true,
    prepare: addUser,
  },
  'GET /v1/api-keys': {
    scope: 'api-keys:read',
    door: 'installation',
    homeless: 'apart',
    references: { after: cursor('key', 'api-keys'), created_by: { kind: 'user', anyKind: true } },
  },
  'POST /v1/api-keys': {
    scope: 'api-keys:create',
    door: 'installation',
    homeless: 'NO_COMPANY',
    body: () => ({ name: 'Till', type: 'company', scopes: ['api-keys:create'] }),
  },
  'DELETE /v1/api-keys/{id}': {
    scope: 'api-keys:delete',
    door: 'installation',
    homeless: 'NOT_FOUND',
    path: { id: 'key' },
    disposes: true,
    prepare: addKey,
  },
  'POST /v1/auth/login': {
    scope: null,
    door: 'public',
    body: ({ _id, marker }) => ({ email: `${marker}@example.test`, password: PASSWORD, company: _id }),
    references: { company: { kind: 'company', answer: 401, unsaid: true } },
    action: 'auth.login',
  },
  'POST /v1/auth/forgot-password': {
    scope: null,
    door: 'public',
    body: ({ marker }) => ({ email: `${marker}@example.test` }),
    // A job looks later whether the address belongs to a user, so that the answer's duration does not reveal it.
    action: null,
  },
  'POST /v1/auth/reset-password': {
    scope: null,
    door: 'public',
    body: ({ linkToken }) => ({ token: linkToken, new_password: PASSWORD }),
    prepare: addLink,
    action: 'auth.reset-password',
  },
  'POST /v1/auth/accept-invitation': {
    scope: null,
    door: 'public',
    body: ({ linkToken }) => ({ token: linkToken }),
    prepare: addInvitation,
    action: 'auth.accept-invitation',
  },
  'GET /v1/auth/me': { scope: null, door: 'installation' },
  'GET /v1/audit': {
    scope: 'audit:read',
    references: {
      after: cursor('auditEntry', 'audit'),
      actor: { kind: 'key', answer: 200, anyKind: true },
      resource: { kind: 'inbox', answer: 200, anyKind: true, freeText: true },
    },
  },
  'GET /v1/companies': {
    scope: 'companies:read',
    door: 'installation',
    globalOnly: true,
    reachesAll: true,
    references: { after: cursor('company', 'companies') },
  },
  'POST /v1/companies': {
    scope: 'companies:create',
    door: 'installation',
    globalOnly: true,
    reachesAll: true,
    body: () => ({ name: 'Bakery', owner: { name: 'Ana', email: freshEmail('owner') } }),
  },
  'GET /v1/companies/{id}': {
    scope: 'companies:read',
    door: 'installation',
    reachesAll: true,
    path: { id: 'company' },
  },
  'PATCH /v1/companies/{id}': {
    scope: 'companies:update',
    door: 'installation',
    reachesAll: true,
    path: { id: 'company' },
    body: () => ({ description: 'Bread and coffee' }),
  },
  'GET /v1/inboxes': { scope: 'inboxes:read', references: { after: cursor('inbox', 'inboxes') } },
  'POST /v1/inboxes': {
    scope: 'inboxes:create',
    body: ({ records }) => ({
      channel: 'WEB_V2',
      name: 'Door',
      default_agent: records.agent,
      default_owner: records.user,
    }),
    references: inboxReferences,
  },
  'GET /v1/inboxes/{id}': { scope: 'inboxes:read', path: { id: 'inbox' } },
  'PUT /v1/inboxes/{id}': {
    scope: 'inboxes:update',
    path: { id: 'inbox' },
    body: ({ records }) => ({ name: 'Door', default_agent: records.agent, default_owner: records.user }),
    references: inboxReferences,
  },
  'GET /v1/messages/conversation/{id}': {
    scope: 'messages:read',
    path: { id: 'conversation' },
    references: { after: cursor('message', (own) => `messages:${own.records.conversation}`, 'createdAt') },
  },
  'GET /v1/messages/{id}': { scope: 'messages:read', path: { id: 'message' } },
  'POST /v1/messages/send-text': {
    scope: 'messages:create',
    body: ({ records }) => ({ conversationId: records.conversation, message: text, replyTo: records.message }),
    references: { conversationId: 'conversation', replyTo: 'message' },
  },
  'POST /v1/messages/note': {
    scope: 'messages:create',
    body: ({ records }) => ({ conversationId: records.conversation, message: text }),
    references: { conversationId: 'conversation' },
  },
  'POST /v1/webhooks': {
    scope: 'webhooks:create',
    body: () => ({ url: 'http://127.0.0.1:9/', events: ['FOLLOWUP_SENT'] }),
    prepare: dropWebhook,
  },
  'GET /v1/webhooks': { scope: 'webhooks:read', prepare: ensureWebhook },
  'PUT /v1/webhooks/{id}': {
    scope: 'webhooks:update',
    path: { id: 'webhook' },
    body: () => ({ events: ['FOLLOWUP_SENT'] }),
    prepare: ensureWebhook,
  },
  'DELETE /v1/webhooks/{id}': { scope: 'webhooks:delete', path: { id: 'webhook' }, prepare: ensureWebhook },
  'GET /v1/webhooks/deliveries': { scope: 'webhooks:read', references: { after: cursor('delivery', 'deliveries') } },
  'POST /v1/webhooks/deliveries/{id}/replay': {
    scope: 'webhooks:update',
    path: { id: 'delivery' },
    prepare: ensureWebhook,
    action: 'deliveries.replay',
  },
};
