import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { Message } from '../messages/schemas.ts';
import {
  InboxParams,
  SendTemplate,
  Template,
  TemplateCreate,
  TemplateList,
  TemplateParams,
  TemplateQuery,
  TemplatesRemoved,
  TemplateUpdate,
} from './schemas.ts';
import { readSentMessage, sendTemplate } from './send.ts';
import { editTemplate, pageTemplates, readTemplate, removeTemplate, submitTemplate } from './templates.ts';

export function templateRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/inboxes/:id/templates',
    scope: 'inboxes:read',
    summary: "List the templates of an inbox's account",
    description:
      "Returns the platform's copy of the templates at the network. The network reports changes of a template " +
      'immediately; the full list is copied when an inbox connects, every few hours, and when a copy older ' +
      'than ten minutes is read. Inboxes with the same account have the same templates.',
    params: InboxParams,
    query: TemplateQuery,
    answers: { 200: TemplateList },
    errors: ['TEMPLATES_NOT_SUPPORTED'],
    handler: (tenant, { params, query }) => pageTemplates(kit, tenant, params.id, query),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/inboxes/:id/templates',
    scope: 'inboxes:update',
    action: 'templates.create',
    summary: 'Submit a template for review by the network',
    description:
      'In the response the template is PENDING, or already APPROVED; the list shows the result of the review. ' +
      'If the network does not respond, the response is 503, and the list soon shows whether the network has ' +
      'the template.',
    params: InboxParams,
    body: ref(TemplateCreate),
    answers: { 201: ref(Template) },
    errors: ['NETWORK_REFUSED', 'QUOTA_EXCEEDED', 'TEMPLATES_NOT_SUPPORTED'],
    handler: (tenant, { params, body }) => submitTemplate(kit, tenant, params.id, body),
    again: (tenant, id, { params }) => readTemplate(kit, tenant, params.id, id),
  });
  changeRoutes(app, kit);
  sendRoutes(app, kit);
}

function changeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/inboxes/:id/templates/:name',
    scope: 'inboxes:update',
    action: 'templates.update',
    summary: 'Change the contents of a template',
    description:
      'Replaces the components of the template in one language, which the network reviews again. Its name, its language ' +
      'and whether its variables are numbers or names stay. The network takes changes of templates that are APPROVED ' +
      '(WhatsApp: once a day, and ten times in 30 days), REJECTED or PAUSED. If it does not respond, the response is ' +
      '503, and the list soon shows whether it has the change.',
    params: TemplateParams,
    body: ref(TemplateUpdate),
    answers: { 200: ref(Template) },
    errors: ['NETWORK_REFUSED', 'QUOTA_EXCEEDED', 'TEMPLATES_NOT_SUPPORTED'],
    handler: (tenant, { params, body }) => editTemplate(kit, tenant, params, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/inboxes/:id/templates/:name',
    scope: 'inboxes:update',
    action: 'templates.delete',
    summary: 'Remove a template in all its languages',
    description: 'It is removed at the network and then here. Messages that were sent with it are not affected.',
    params: TemplateParams,
    answers: { 200: ref(TemplatesRemoved) },
    errors: ['NETWORK_REFUSED', 'TEMPLATES_NOT_SUPPORTED'],
    handler: (tenant, { params }) => removeTemplate(kit, tenant, params.id, params.name),
  });
}

function sendRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/messages/send-template',
    scope: 'messages:create',
    summary: 'Send a template',
    description:
      'Sends an approved template into a conversation, or to a contact or a phone number in an inbox, whose ' +
      'conversation is opened. It can be sent at any time, also if the contact has not written for 24 hours. ' +
      'The parameters are checked before anything is stored; after that, the response is like that of ' +
      'send-text. The header can show an attachment of the company (`imageId`, `image.id`, `video.id`, ' +
      "`document.id`), which is uploaded to the network once for each number; it becomes the message's " +
      '`attachment`. A person who has not written for 24 hours counts toward the daily limit of the business; ' +
      "if the limit is used up, the message is FAILED with DAILY_LIMIT. The message's content is the text that " +
      'the contact reads.',
    body: ref(SendTemplate),
    answers: { 201: ref(Message) },
    errors: ['CONVERSATION_OPEN', 'QUOTA_EXCEEDED', 'TEMPLATE_NOT_SENDABLE', 'TEMPLATES_NOT_SUPPORTED'],
    handler: (tenant, { body }) => sendTemplate(kit, tenant, body),
    again: readSentMessage,
  });
}
