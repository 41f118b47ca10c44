import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { operation } from '../../platform/route.ts';
import { ref } from '../../platform/schema.ts';
import { User } from '../users/schemas.ts';
import { updateProfile } from './profiles.ts';
import { ProfileUpdate } from './schemas.ts';

export function profileRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/auth/me',
    scope: null,
    action: 'users.update',
    summary: 'Change your own name and picture',
    description: 'For the token or session of a user, whatever the role; a key is refused with 403.',
    body: ref(ProfileUpdate),
    answers: { 200: ref(User) },
    errors: ['FORBIDDEN', 'UNKNOWN_REFERENCE'],
    handler: (tenant, { body }) => updateProfile(kit, tenant, body),
  });
}
