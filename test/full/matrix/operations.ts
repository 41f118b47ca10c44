/**
 * What the matrix has to be told of each operation, because no document says it: the scope, a request that succeeds, and
 * which of its texts name records. An operation, or a text of one, that does not stand here fails the matrix.
 */
import type { Scope } from '../../../src/platform/scopes.ts';
import type { Json, Platform } from '../../support/platform.ts';
import { createWebhook, type Kind, type Side } from './companies.ts';

/** How an id is written where more than the bare id stands, and what an id that is nobody's is answered with. */
export interface Reference {
  kind: Kind;
  write?(id: string): string;
  answer?: number;
}

export interface Entry {
  scope: Scope;
  /** The parts of the path, and what each is the id of. */
  path?: Record<string, Kind>;
  /** Where the body and the query name records. */
  references?: Record<string, Kind | Reference>;
  /** A body that succeeds. */
  body?(own: Side): Json;
  /** Makes the next request succeed, whatever the last one did. */
  prepare?(platform: Platform, own: Side): Promise<void>;
}

/** Texts that name no record of ours: words, addresses, and what the networks call their own things. */
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
]);

// A time that no record of a test has: a list that begins there shows what it shows without a cursor, or nothing.
const CURSOR_MS = Date.UTC(2100, 0);
const cursor = (kind: Kind): Reference => ({
  kind,
  write: (id) => Buffer.from(`${CURSOR_MS}|${id}`).toString('base64url'),
  answer: 200,
});

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

const text = { content: 'Hello', contentType: 'TEXT' };

export const ENTRIES: Record<string, Entry> = {
  'GET /v1/inboxes': { scope: 'inboxes:read', references: { after: cursor('inbox') } },
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
  'GET /v1/contacts/{id}': { scope: 'contacts:read', path: { id: 'contact' } },
  'GET /v1/conversations/{id}': { scope: 'conversations:read', path: { id: 'conversation' } },
  'PUT /v1/conversations/{id}/read': { scope: 'conversations:update', path: { id: 'conversation' } },
  'GET /v1/messages/conversation/{id}': {
    scope: 'messages:read',
    path: { id: 'conversation' },
    references: { after: cursor('message') },
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
  'GET /v1/webhooks/deliveries': { scope: 'webhooks:read', references: { after: cursor('delivery') } },
  'POST /v1/webhooks/deliveries/{id}/replay': {
    scope: 'webhooks:update',
    path: { id: 'delivery' },
    prepare: ensureWebhook,
  },
};
