import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import {
  cancelScheduled,
  createScheduled,
  expectScheduled,
  pageScheduled,
  sendScheduledNow,
  updateScheduledById,
} from './scheduled-messages.ts';
import {
  ScheduledMessage,
  ScheduledMessageCreate,
  ScheduledMessageList,
  ScheduledMessageParams,
  ScheduledMessageQuery,
  ScheduledMessageUpdate,
} from './schemas.ts';

const ENDED = 'A message that was already sent, cancelled or failed, or is being sent, returns 409.';

export function scheduledMessageRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('scheduled-messages', 'Messages that are sent later');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/scheduled-messages',
    scope: 'messages:create',
    action: 'scheduled-messages.create',
    summary: 'Schedule a message',
    description:
      'Sends a text, a file or a template at `send_at`, in the name of the caller, under the rules of a normal send. With `hold_seconds` ' +
      'instead, the message is held for some seconds, in which it can be cancelled: this is how the console undoes a send.',
    body: ref(ScheduledMessageCreate),
    answers: { 201: ref(ScheduledMessage) },
    errors: [
      'UNKNOWN_REFERENCE',
      'CONTENT_NOT_SUPPORTED',
      'TEMPLATE_NOT_SENDABLE',
      'TEMPLATES_NOT_SUPPORTED',
      'QUOTA_EXCEEDED',
    ],
    handler: (tenant, { body }) => createScheduled(kit, tenant, body),
    again: ({ read }, id) => expectScheduled(read, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/scheduled-messages',
    scope: 'messages:read',
    summary: 'List scheduled messages',
    description: 'Includes those that were sent or cancelled, or have failed; `status=SCHEDULED` leaves them out.',
    query: ScheduledMessageQuery,
    answers: { 200: ScheduledMessageList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => pageScheduled(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/scheduled-messages/:id',
    scope: 'messages:read',
    summary: 'Read a scheduled message',
    description: 'After it is sent, `sent_message` has the id of the message.',
    params: ScheduledMessageParams,
    answers: { 200: ref(ScheduledMessage) },
    handler: ({ read }, { params }) => expectScheduled(read, params.id),
  });
  changeRoutes(app, kit);
}

function changeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/scheduled-messages/:id',
    scope: 'messages:create',
    action: 'scheduled-messages.update',
    summary: 'Change a scheduled message',
    description: `Changes its time or its content; \`message\` replaces the entire content. If you change the content, it is sent in your name. ${ENDED}`,
    params: ScheduledMessageParams,
    body: ref(ScheduledMessageUpdate),
    answers: { 200: ref(ScheduledMessage) },
    errors: [
      'SCHEDULED_MESSAGE_ENDED',
      'UNKNOWN_REFERENCE',
      'CONTENT_NOT_SUPPORTED',
      'TEMPLATE_NOT_SENDABLE',
      'TEMPLATES_NOT_SUPPORTED',
      'QUOTA_EXCEEDED',
    ],
    handler: (tenant, { params, body }) => updateScheduledById(kit, tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/scheduled-messages/:id/cancel',
    scope: 'messages:create',
    action: 'scheduled-messages.cancel',
    summary: 'Cancel a scheduled message',
    description: `It is not sent, and its \`cancel_reason\` is CANCELLED_BY_REQUEST. ${ENDED}`,
    params: ScheduledMessageParams,
    answers: { 201: ref(ScheduledMessage) },
    errors: ['SCHEDULED_MESSAGE_ENDED'],
    handler: (tenant, { params }) => cancelScheduled(tenant, params.id),
    again: ({ read }, id) => expectScheduled(read, id),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/scheduled-messages/:id/send',
    scope: 'messages:create',
    action: 'scheduled-messages.send',
    summary: 'Send a scheduled message now',
    description: `Sends it within the request, after earlier messages of the conversation that are due. ${ENDED}`,
    params: ScheduledMessageParams,
    answers: { 201: ref(ScheduledMessage) },
    errors: ['SCHEDULED_MESSAGE_ENDED'],
    handler: (tenant, { params }) => sendScheduledNow(kit, tenant, params.id),
    again: ({ read }, id) => expectScheduled(read, id),
  });
}
