import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { installationOperation, publicOperation } from '../../platform/route.ts';
import { ref } from '../../platform/schema.ts';
import { acceptInvitation, forgetPassword, logIn, readMe, resetPassword } from './auth.ts';
import { AcceptInvitation, Done, ForgotPassword, Login, Me, ResetPassword, Session } from './schemas.ts';

export function authRoutes(app: FastifyInstance, kit: Kit): void {
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/login',
    action: 'auth.login',
    summary: 'Log in; the token lives for twelve hours',
    description:
      'A person who belongs to several companies has one password, and a session acts for one company: the one that `company` names, or else the one that the person used last.',
    body: ref(Login),
    answers: { 200: ref(Session) },
    errors: ['INVALID_CREDENTIALS'],
    account: ({ email }) => email.toLowerCase(),
    handler: (anonymous, { body }) => logIn(kit, anonymous, body),
  });
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/forgot-password',
    summary: 'Ask for a mail with a link that sets a new password',
    description: 'The answer is the same whether the address belongs to anybody or not.',
    body: ref(ForgotPassword),
    answers: { 200: ref(Done) },
    account: ({ email }) => email.toLowerCase(),
    handler: (anonymous, { body }) => forgetPassword(kit, anonymous, body.email),
  });
  linkRoutes(app, kit);
  installationOperation(app, kit.access, {
    method: 'GET',
    path: '/v1/auth/me',
    scope: null,
    summary: 'Who the token speaks for, and what it may do',
    answers: { 200: ref(Me) },
    handler: readMe,
  });
}

/** The operations that take the token of a mailed link. */
function linkRoutes(app: FastifyInstance, kit: Kit): void {
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/reset-password',
    action: 'auth.reset-password',
    summary: 'Set a new password with the token of a mailed link; all sessions end',
    description:
      'A person has one password for all companies, so the sessions in all of them end. With the token of an invitation, the person also becomes a member of the company.',
    body: ref(ResetPassword),
    answers: { 200: ref(Done) },
    errors: ['INVALID_RESET_TOKEN'],
    handler: (anonymous, { body }) => resetPassword(kit, anonymous, body),
  });
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/accept-invitation',
    action: 'auth.accept-invitation',
    summary: 'Accept an invitation with the token of its mail, and keep the password',
    description:
      'For a person who already has a password. A person without one sets it with the same token by POST /v1/auth/reset-password, which accepts the invitation as well.',
    body: ref(AcceptInvitation),
    answers: { 200: ref(Done) },
    errors: ['INVALID_RESET_TOKEN', 'PASSWORD_REQUIRED'],
    handler: (anonymous, { body }) => acceptInvitation(anonymous, body),
  });
}
