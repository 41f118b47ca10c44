import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { operation } from '../../platform/route.ts';
import { ref } from '../../platform/schema.ts';
import { readContact } from './contacts.ts';
import { Contact, ContactParams } from './schemas.ts';

export function contactRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/:id',
    scope: 'contacts:read',
    tag: 'contacts',
    summary: 'Read a contact',
    params: ContactParams,
    answers: { 200: ref(Contact) },
    handler: (tenant, { params }) => readContact(tenant, params.id),
  });
}
