import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { User } from '../users/schemas.ts';
import { PICTURE_MAX_BYTES, updateProfile, uploadPicture } from './profiles.ts';
import { PictureForm, ProfileUpdate } from './schemas.ts';

export function profileRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/auth/me',
    scope: null,
    action: 'users.update',
    summary: 'Change your own name, picture, signature and availability',
    description: 'For the token or session of a user of any role; API keys get 403.',
    body: ref(ProfileUpdate),
    answers: { 200: ref(User) },
    errors: ['FORBIDDEN'],
    handler: (tenant, { body }) => updateProfile(kit, tenant, body),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: '/v1/auth/me/avatar',
    scope: null,
    action: 'users.update',
    summary: 'Upload your own picture',
    description:
      'For the token or session of a user of any role; API keys get 403. The picture replaces the previous ' +
      'one, whose file is removed unless it is used elsewhere.',
    body: PictureForm,
    form: { maxBytes: PICTURE_MAX_BYTES },
    answers: { 200: ref(User) },
    errors: ['FORBIDDEN', 'QUOTA_EXCEEDED'],
    handler: (tenant, { upload, reply }) => uploadPicture(kit, tenant, { upload, signal: hangUpSignal(reply) }),
  });
}
