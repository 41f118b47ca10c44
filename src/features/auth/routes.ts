import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { pageRoutes } from '../../platform/pages.ts';
import { installationOperation, publicOperation } from '../../platform/route.ts';
import { ref } from '../../platform/schema.ts';
import { forgetPassword, logIn, readMe, resetPassword } from './auth.ts';
import { Done, ForgotPassword, Login, Me, ResetPassword, Session } from './schemas.ts';

const tag = 'auth';

export function authRoutes(app: FastifyInstance, kit: Kit): void {
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/login',
    tag,
    summary: 'Log in; the token lives for twelve hours',
    body: ref(Login),
    answers: { 200: ref(Session) },
    errors: ['INVALID_CREDENTIALS'],
    account: ({ email }) => email.toLowerCase(),
    handler: (visitor, { body }) => logIn(kit, visitor, body),
  });
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/forgot-password',
    tag,
    summary: 'Ask for a mail with a link that sets a new password',
    description: 'The answer is the same whether the address belongs to anybody or not.',
    body: ref(ForgotPassword),
    answers: { 200: ref(Done) },
    account: ({ email }) => email.toLowerCase(),
    handler: (visitor, { body }) => forgetPassword(kit, visitor, body.email),
  });
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/reset-password',
    tag,
    summary: 'Set a new password with the token of a mailed link; all sessions end',
    body: ref(ResetPassword),
    answers: { 200: ref(Done) },
    errors: ['INVALID_RESET_TOKEN'],
    handler: (visitor, { body }) => resetPassword(kit, visitor, body),
  });
  installationOperation(app, kit.access, {
    method: 'GET',
    path: '/v1/auth/me',
    scope: null,
    tag,
    summary: 'Who the token speaks for, and what it may do',
    answers: { 200: ref(Me) },
    handler: readMe,
  });
  pageRoutes(app, '/set-password', 'set-password');
}
