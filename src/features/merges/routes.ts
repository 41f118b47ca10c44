import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { Contact } from '../contacts/schemas.ts';
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
}
