import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import { ConversationParams } from '../schemas.ts';
import { addParticipant, readParticipants, removeParticipant } from './participants.ts';
import { ParticipantAdd, ParticipantParams, Participants } from './schemas.ts';

export function participantRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/conversations/:id/participants',
    scope: 'conversations:read',
    summary: 'List the users who follow a conversation',
    description: 'Users who reply, write a note or are mentioned in one follow the conversation from then on.',
    params: ConversationParams,
    answers: { 200: ref(Participants) },
    handler: (tenant, { params }) => readParticipants(tenant.read, params.id),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/conversations/:id/participants',
    scope: 'conversations:update',
    summary: 'Make a user follow a conversation',
    description: 'Changes nothing if the user follows it already. Followers are notified when the contact writes.',
    params: ConversationParams,
    body: ref(ParticipantAdd),
    answers: { 200: ref(Participants) },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { params, body }) => addParticipant(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/conversations/:id/participants/:userId',
    scope: 'conversations:update',
    summary: 'Make a user unfollow a conversation',
    description:
      'The user does not follow it after a further reply either, until the user is mentioned or added again. Changes nothing if the user does not follow it.',
    params: ParticipantParams,
    answers: { 200: ref(Participants) },
    handler: (tenant, { params }) => removeParticipant(tenant, params.id, params.userId),
  });
}
