import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { installationOperation, operation, publicOperation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { BrowserSession } from '../auth/schemas.ts';
import { User, UserParams } from '../users/schemas.ts';
import { beginSingleSignOn, finishSingleSignOn } from './log-in.ts';
import {
  SingleSignOn,
  SingleSignOnBegin,
  SingleSignOnBegun,
  SingleSignOnFinish,
  SingleSignOnTest,
  SingleSignOnUpdate,
} from './schemas.ts';
import { readSingleSignOn, removeSingleSignOn, setSingleSignOn, testSingleSignOn } from './single-sign-on.ts';
import { unlinkOwnUser, unlinkUser } from './unlink.ts';

const PATH = '/v1/single-sign-on';

export function singleSignOnRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('single-sign-on', 'How the users of a company log in with its OpenID provider');
  settingsRoutes(app, kit);
  unlinkRoutes(app, kit);
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/single-sign-on',
    action: null,
    summary: 'Begin a log-in with single sign-on',
    description:
      "For pages of the platform's own origin. Send the browser to `redirect_to`. The response sets a cookie that binds the log-in to the browser for ten minutes. An address without single sign-on gets the same error whether or not it belongs to a user.",
    body: ref(SingleSignOnBegin),
    answers: { 200: ref(SingleSignOnBegun) },
    errors: ['UNKNOWN_REFERENCE', 'SINGLE_SIGN_ON_FAILED', 'FORBIDDEN'],
    handler: (anonymous, { body, reply }) => beginSingleSignOn(kit, anonymous, body, reply),
  });
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/session/single-sign-on',
    action: 'auth.login',
    summary: 'Log a browser in with the answer of the OpenID provider',
    description:
      "For the page at the redirect URI. The response sets the same cookie as POST /v1/auth/session. If the company also asks for the platform's second factor, the response is SECOND_FACTOR_REQUIRED; send `code` or `passkey` without `query` then.",
    body: ref(SingleSignOnFinish),
    answers: { 200: ref(BrowserSession) },
    errors: ['SINGLE_SIGN_ON_FAILED', 'SECOND_FACTOR_REQUIRED', 'FORBIDDEN'],
    handler: (anonymous, { body, reply }) => finishSingleSignOn(kit, anonymous, body, reply),
  });
}

function unlinkRoutes(app: FastifyInstance, kit: Kit): void {
  const words =
    'The sessions that the provider has opened end. The next log-in with the verified address of the user links again.';
  installationOperation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/auth/single-sign-on',
    scope: null,
    action: 'auth.unlink-single-sign-on',
    summary: 'Unlink yourself from your account at the OpenID provider',
    description: `For the token or session of a user who can log in with a password or a passkey. ${words}`,
    answers: { 200: ref(User) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
    handler: (caller) => unlinkOwnUser(kit, caller),
  });
  installationOperation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/users/:id/single-sign-on',
    scope: 'users:update',
    action: 'users.unlink-single-sign-on',
    summary: 'Unlink a user from the account at the OpenID provider',
    description: `Callers need all rights of the user. ${words}`,
    params: UserParams,
    answers: { 200: ref(User) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
    handler: (caller, { params }) => unlinkUser(kit, caller, params.id),
  });
}

function settingsRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: PATH,
    scope: 'companies:update',
    summary: 'Read how the company logs in with single sign-on',
    description: 'The client secret is in no response. Without settings, `issuer` is null.',
    answers: { 200: ref(SingleSignOn) },
    handler: (tenant) => readSingleSignOn(kit, tenant),
  });
  operation(app, kit.access, {
    method: 'PUT',
    path: PATH,
    scope: 'companies:update',
    action: 'companies.set-single-sign-on',
    summary: 'Set the OpenID provider that logs users in',
    description:
      'Needs all permissions of an owner, because the provider decides who logs in. A new domain can be added only by an owner whose own address is on it, or with a global key. Fields that are not given keep their values, or get the defaults of new settings.',
    body: ref(SingleSignOnUpdate),
    answers: { 200: ref(SingleSignOn) },
    errors: ['TARGET_NOT_ALLOWED', 'FORBIDDEN'],
    handler: (tenant, { body }) => setSingleSignOn(kit, tenant, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: PATH,
    scope: 'companies:update',
    action: 'companies.remove-single-sign-on',
    summary: 'Turn single sign-on off and forget the provider',
    description: 'Needs all permissions of an owner. Users log in with their passwords again; sessions go on.',
    answers: { 200: ref(SingleSignOn) },
    errors: ['FORBIDDEN'],
    handler: (tenant) => removeSingleSignOn(kit, tenant),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: `${PATH}/test`,
    scope: 'companies:update',
    action: null,
    summary: 'Test the connection to the OpenID provider',
    description: 'Reads the description of the stored provider. `problem` says what is wrong.',
    answers: { 200: ref(SingleSignOnTest) },
    errors: ['NOT_FOUND'],
    handler: (tenant) => testSingleSignOn(kit, tenant),
  });
}
