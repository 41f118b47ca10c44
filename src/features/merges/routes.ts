import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { operation } from '../../platform/route.ts';
import { ref } from '../../platform/schema.ts';
import { Contact } from '../contacts/schemas.ts';
import { mergeContact, readMerged } from './merges.ts';
import { ContactMerge, MergeParams } from './schemas.ts';

export function mergeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/contacts/:id/merge',
    scope: 'contacts:update',
    tag: 'contacts',
    action: 'contacts.merge',
    summary: 'Merge another contact into this one',
    description:
      'The fields of this contact win, empty ones are filled, tags are united, up to 50; opted_out and blocked hold if they held for either. Conversations, messages and table rows move here, and so do all names by which the other is known: its phone number still leads here. Where both have an open conversation in one inbox, the older stays open and the other is closed; its unread count goes on in the one that stays, which wakes for it when it is SNOOZED. A reply leaves for the name by which the contact wrote last, within its window. The other contact is gone afterwards, without an event of its own.',
    params: MergeParams,
    body: ref(ContactMerge),
    errors: ['UNKNOWN_REFERENCE'],
    answers: { 201: ref(Contact) },
    handler: (tenant, { params, body }) => mergeContact(tenant, params.id, body),
    again: readMerged,
  });
}
