import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { installationOperation, publicOperation } from '../../platform/http/route.ts';
import { isSecure, makeSessionCookie } from '../../platform/http/session-cookie.ts';
import { ref } from '../../platform/values/schema.ts';
import { giveSession, logIn, logInBrowser, logInByLink, logOutBrowser, readMe } from './auth.ts';
import { acceptInvitation, forgetPassword, readPasswordLink, resetPassword } from './mailed-links.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { secondFactorRoutes } from './second-factor-routes.ts';
import {
  AcceptInvitation,
  BrowserLogin,
  BrowserSession,
  Done,
  ForgotPassword,
  ForgottenPassword,
  Login,
  Me,
  PasswordLink,
  ReadLink,
  ResetPassword,
  Session,
  SessionLink,
} from './schemas.ts';

export function authRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('auth', 'Log-in, password reset, and who a token acts for');
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/login',
    action: 'auth.login',
    summary: 'Log in; the token is valid for twelve hours',
    description:
      'A person who belongs to several companies has one password, and a session acts for one company: the one ' +
      'given in `company`, or else the one that the person used last. A person with two-factor log-in gives a `code` as ' +
      'well; without it, the right password gets 401 SECOND_FACTOR_REQUIRED.',
    body: ref(Login),
    answers: { 200: ref(Session) },
    errors: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED', 'FORBIDDEN'],
    account: ({ email }) => email.toLowerCase(),
    handler: (anonymous, { body }) => logIn(kit, anonymous, body),
  });
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/forgot-password',
    summary: 'Request a mail with a link for setting a new password',
    description: 'The response is the same whether or not the address belongs to a user.',
    body: ref(ForgotPassword),
    answers: { 200: ref(ForgottenPassword) },
    account: ({ email }) => email.toLowerCase(),
    handler: (anonymous, { body }) => forgetPassword(kit, anonymous, body.email),
  });
  sessionRoutes(app, kit);
  linkRoutes(app, kit);
  secondFactorRoutes(app, kit);
  passkeyRoutes(app, kit);
  installationOperation(app, kit.access, {
    method: 'GET',
    path: '/v1/auth/me',
    scope: null,
    withoutSecondFactor: true,
    summary: 'Read who the token acts for, and its rights',
    description:
      'Returns the kind of the caller (a key or a user), the company that it acts for, its scopes, and the key or user itself. Any valid token can call it.',
    answers: { 200: ref(Me) },
    handler: (caller) => readMe(kit, caller),
  });
}

/** The operations by which a page of the platform logs in and out with a cookie instead of a token. */
function sessionRoutes(app: FastifyInstance, kit: Kit): void {
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/session',
    action: 'auth.login',
    summary: 'Log a browser in; the response sets a cookie that scripts cannot read',
    description:
      "Only pages of the platform's own origin can create and use a session (`Sec-Fetch-Site`, or else " +
      '`Origin`). It ends after twelve hours without a request, after seven days, and whenever a token of the ' +
      'user would. A request with an `Authorization` header ignores the cookie.',
    body: ref(BrowserLogin),
    answers: { 200: ref(BrowserSession) },
    errors: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED', 'FORBIDDEN'],
    account: ({ email }) => email.toLowerCase(),
    handler: async (anonymous, { body, reply }) =>
      giveSession(kit, reply, await logInBrowser(kit, anonymous, body, reply.request)),
  });
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/session/link',
    action: 'auth.login',
    summary: "Log a browser in with the link printed at the platform's start; the response sets the same cookie",
    description:
      'A platform that listens on a loopback address prints a link for the first owner when it starts, as long ' +
      'as `credentials.json` is in its data folder. A link works once and for ten minutes. Unknown, used and ' +
      'expired links get the same error.',
    body: ref(SessionLink),
    answers: { 200: ref(BrowserSession) },
    errors: ['INVALID_RESET_TOKEN', 'FORBIDDEN'],
    handler: async (anonymous, { body, reply }) =>
      giveSession(kit, reply, await logInByLink(anonymous, body, reply.request)),
  });
  publicOperation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/auth/session',
    action: 'auth.logout',
    summary: 'Log the browser out; its session ends and the cookie is removed',
    description: "Ends only the session of this browser; the user's other sessions and tokens stay valid.",
    answers: { 200: ref(Done) },
    errors: ['UNAUTHORIZED'],
    handler: async (anonymous, { reply }) => {
      reply.header('set-cookie', makeSessionCookie('', { secure: isSecure(kit), seconds: 0 }));
      return logOutBrowser(kit, anonymous, reply.request);
    },
  });
}

/** The operations that take the token of a mailed link. */
function linkRoutes(app: FastifyInstance, kit: Kit): void {
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/read-link',
    summary: 'Read whom a mailed link is for, without using it up',
    description:
      'For a page that greets the person before they set a password or accept an invitation. Unknown, used and expired links get the same error.',
    body: ref(ReadLink),
    answers: { 200: ref(PasswordLink) },
    errors: ['INVALID_RESET_TOKEN'],
    handler: (anonymous, { body }) => readPasswordLink(anonymous, body),
  });
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
