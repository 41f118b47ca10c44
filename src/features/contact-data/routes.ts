import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { operation } from '../../platform/http/route.ts';
import { sendContactData } from './contact-data.ts';
import { CONTACT_DATA_ANSWER, ContactDataParams, ContactDataQuery } from './schemas.ts';

export function contactDataRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/:id/data',
    scope: 'contacts:read',
    needs: [
      {
        scopes: [
          'conversations:read',
          'messages:read',
          'attachments:read',
          'tables:read',
          'campaigns:read',
          'agents:read',
        ],
      },
    ],
    summary: 'Download everything that is stored about a contact',
    description:
      'A ZIP for a person who asks for their data: the contact, the table rows that name it, its campaigns and ' +
      'conversations, and per conversation the messages, scheduled messages, follow-ups and turns of agents, satisfaction ' +
      "surveys, a transcript and the files. The team's " +
      'notes are included only with `notes=true`. Conversations that the caller may not see are left out. If reading ' +
      'fails midway, the connection is cut.',
    params: ContactDataParams,
    query: ContactDataQuery,
    answers: { 200: CONTACT_DATA_ANSWER },
    handler: (tenant, { params, query, reply }) => sendContactData(kit, tenant, params.id, { query, reply }),
  });
}
