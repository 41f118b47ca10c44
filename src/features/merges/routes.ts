import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { Contact } from '../contacts/schemas.ts';
import { Conversation } from '../conversations/schemas.ts';
import { mergeConversation, readMergedConversation } from './conversations/merge.ts';
import { ConversationMerge, ConversationMergeParams } from './conversations/schemas.ts';
import { mergeContact, readMerged } from './merges.ts';
import { ContactMerge, MergeParams } from './schemas.ts';

export function mergeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/contacts/:id/merge',
    scope: 'contacts:update',
    action: 'contacts.merge',
    disposes: 'contact',
    summary: 'Merge another contact into this one',
    description:
      'This contact keeps its fields; its empty ones are filled from the other, and tags are combined, up to ' +
      '50. opted_out and blocked are true if they were true for either. Conversations, messages, notes and table ' +
      'rows move to this contact, and so do phone numbers, e-mails and other identities: messages from the other’s ' +
      'phone number belong to this contact from now on. If both have an open conversation in one inbox, the ' +
      'older stays open and the other is closed; its unread count is added to the one that stays, which ' +
      'reopens if it is SNOOZED and has unread messages. A reply goes to the identity with which the contact ' +
      'last wrote, within its reply window. The other contact is removed, without an event of its own.',
    params: MergeParams,
    body: ref(ContactMerge),
    answers: { 201: ref(Contact) },
    handler: (tenant, { params, body }) => mergeContact(tenant, params.id, body),
    again: readMerged,
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/conversations/:id/merge',
    scope: 'conversations:update',
    action: 'conversations.merge',
    disposes: 'conversation',
    summary: 'Merge another conversation into this one',
    description:
      'Both must be of the same contact and inbox. Messages, notes, scheduled messages, followers and everything else ' +
      'of the other conversation move to this one, in the order of their times. This conversation keeps its priority, step and ' +
      'custom fields; empty ones are filled from the other, and tags are combined, up to 50. If the other is open, ' +
      'this one goes on with its status, owner, team, agent and waiting time. The other conversation is removed: its ' +
      'id is unknown from then on. Emits CONVERSATION_UPDATED and CONVERSATION_MERGED, which names both.',
    params: ConversationMergeParams,
    body: ref(ConversationMerge),
    answers: { 201: ref(Conversation) },
    handler: (tenant, { params, body }) => mergeConversation(kit, tenant, params.id, body),
    again: readMergedConversation,
  });
}
