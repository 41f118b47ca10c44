/** The operations of passkeys. Users whose company requires a second factor can register one before they can do anything else. */
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { installationOperation, publicOperation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import {
  beginPasskey,
  beginPasskeyLogIn,
  createPasskey,
  pagePasskeys,
  removePasskey,
  renamePasskeyById,
} from '../users/passkeys.ts';
import {
  Passkey,
  PasskeyCreate,
  PasskeyList,
  PasskeyOptions,
  PasskeyParams,
  PasskeyProof,
  PasskeyQuery,
  PasskeyUpdate,
} from '../users/schemas.ts';
import { giveSession, logInByPasskey } from './auth.ts';
import { BrowserSession, PasskeyLogin } from './schemas.ts';

const PATH = '/v1/auth/passkeys';
const ONLY_USERS = 'For the token or session of a user; API keys get 403.';
const PROOF = 'Needs the password and, if you have a second factor, a `code` or a `passkey`.';

export function passkeyRoutes(app: FastifyInstance, kit: Kit): void {
  logInRoutes(app, kit);
  registrationRoutes(app, kit);
  installationOperation(app, kit.access, {
    method: 'GET',
    path: PATH,
    scope: null,
    withoutSecondFactor: true,
    summary: 'List your passkeys',
    description: ONLY_USERS,
    query: PasskeyQuery,
    answers: { 200: PasskeyList },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN'],
    handler: (caller, { query }) => pagePasskeys(caller, query),
  });
  installationOperation(app, kit.access, {
    method: 'PATCH',
    path: `${PATH}/:id`,
    scope: null,
    action: 'auth.rename-passkey',
    summary: 'Rename a passkey',
    description: ONLY_USERS,
    params: PasskeyParams,
    body: ref(PasskeyUpdate),
    answers: { 200: ref(Passkey) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
    handler: (caller, { params, body }) => renamePasskeyById(caller, params.id, body.name),
  });
  installationOperation(app, kit.access, {
    method: 'POST',
    path: `${PATH}/:id/remove`,
    scope: null,
    action: 'auth.remove-passkey',
    summary: 'Remove a passkey, which then no longer logs you in',
    description: `${ONLY_USERS} ${PROOF} The user gets a mail.`,
    params: PasskeyParams,
    body: ref(PasskeyProof),
    answers: { 200: ref(Passkey) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
    handler: (caller, { params, body, reply }) =>
      removePasskey(kit, caller, params.id, { proof: body, headers: reply.request.headers }),
  });
}

function registrationRoutes(app: FastifyInstance, kit: Kit): void {
  installationOperation(app, kit.access, {
    method: 'POST',
    path: `${PATH}/begin`,
    scope: null,
    action: null,
    withoutSecondFactor: true,
    summary: 'Get the options with which a browser creates a passkey',
    description: `${ONLY_USERS} ${PROOF} Only for pages of the platform's own origin. The response sets a cookie that binds the challenge to the browser for ten minutes.`,
    body: ref(PasskeyProof),
    answers: { 200: ref(PasskeyOptions) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN'],
    handler: (caller, { body, reply }) => beginPasskey(kit, caller, body, reply),
  });
  installationOperation(app, kit.access, {
    method: 'POST',
    path: PATH,
    scope: null,
    action: 'auth.create-passkey',
    withoutSecondFactor: true,
    summary: 'Register a passkey for all companies of the person',
    description: `${ONLY_USERS} Only in the browser that called POST /v1/auth/passkeys/begin. The user gets a mail. From then on, a log-in with the password asks for a passkey or a code.`,
    body: ref(PasskeyCreate),
    answers: { 200: ref(Passkey) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN'],
    handler: (caller, { body, reply }) => createPasskey(kit, caller, body, reply),
  });
}

function logInRoutes(app: FastifyInstance, kit: Kit): void {
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/passkey',
    action: null,
    summary: 'Get the options with which a browser asks for a passkey',
    description:
      "Only for pages of the platform's own origin. The response is the same for everyone and sets a cookie that binds the challenge to the browser for ten minutes. A challenge can be answered once.",
    answers: { 200: ref(PasskeyOptions) },
    errors: ['FORBIDDEN'],
    handler: (_anonymous, { reply }) => beginPasskeyLogIn(kit, reply),
  });
  publicOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/auth/session/passkey',
    action: 'auth.login',
    summary: 'Log a browser in with a passkey and without a password',
    description: 'The response sets the same cookie as POST /v1/auth/session. No code is needed.',
    body: ref(PasskeyLogin),
    answers: { 200: ref(BrowserSession) },
    errors: ['INVALID_CREDENTIALS', 'FORBIDDEN'],
    handler: async (anonymous, { body, reply }) =>
      giveSession(kit, reply, await logInByPasskey(kit, anonymous, body, reply.request)),
  });
}
