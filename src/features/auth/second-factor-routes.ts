/** The operations of two-factor log-in. Users whose company requires it can call those that set it up before they can do anything else. */
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { installationOperation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import {
  FactorBegun,
  FactorCode,
  FactorProof,
  RecoveryCodes,
  SecondFactor,
  User,
  UserParams,
} from '../users/schemas.ts';
import { proveOwnPasskey } from '../users/passkeys.ts';
import {
  beginSecondFactor,
  disableSecondFactor,
  enableSecondFactor,
  readSecondFactor,
  renewRecoveryCodes,
  resetSecondFactor,
} from '../users/second-factor.ts';

const PATH = '/v1/auth/second-factor';

export function secondFactorRoutes(app: FastifyInstance, kit: Kit): void {
  setUpRoutes(app, kit);
  installationOperation(app, kit.access, {
    method: 'POST',
    path: `${PATH}/recovery-codes`,
    scope: null,
    action: 'auth.renew-recovery-codes',
    summary: 'Create new recovery codes; the earlier ones no longer work',
    description: 'For the token or session of a user. Needs the password and a code.',
    body: ref(FactorProof),
    answers: { 200: ref(RecoveryCodes) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
    handler: (caller, { body }) => renewRecoveryCodes(kit, caller, body),
  });
  installationOperation(app, kit.access, {
    method: 'POST',
    path: `${PATH}/disable`,
    scope: null,
    action: 'auth.disable-second-factor',
    summary: 'Turn off two-factor log-in',
    description:
      'For the token or session of a user, who gets a mail. Needs the password and a code. In a company that requires two-factor log-in, the user then has to set it up again.',
    body: ref(FactorProof),
    answers: { 200: ref(SecondFactor) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
    handler: (caller, { body }) => disableSecondFactor(kit, caller, body),
  });
  installationOperation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/users/:id/second-factor',
    scope: 'users:update',
    action: 'users.reset-second-factor',
    summary: 'Reset the second factor of another user, who then logs in with the password alone',
    description:
      'For a user who has lost the authenticator app and the recovery codes. The sessions of the user end, and the user gets a mail. ' +
      'Callers need all rights of the user. If the person also belongs to another company, only a global key can reset it.',
    params: UserParams,
    answers: { 200: ref(User) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
    handler: (caller, { params }) => resetSecondFactor(kit, caller, params.id),
  });
}

function setUpRoutes(app: FastifyInstance, kit: Kit): void {
  installationOperation(app, kit.access, {
    method: 'GET',
    path: PATH,
    scope: null,
    withoutSecondFactor: true,
    summary: 'Read whether you log in with a second factor, and whether the company requires it',
    description: 'For the token or session of a user; API keys get 403.',
    answers: { 200: ref(SecondFactor) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN'],
    handler: (caller) => readSecondFactor(caller),
  });
  installationOperation(app, kit.access, {
    method: 'POST',
    path: `${PATH}/begin`,
    scope: null,
    action: null,
    withoutSecondFactor: true,
    summary: 'Get a secret for an authenticator app',
    description:
      'For the token or session of a user. Nothing changes until a code of the app is sent to POST /v1/auth/second-factor.',
    answers: { 200: ref(FactorBegun) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN', 'SECOND_FACTOR_EXISTS'],
    handler: (caller) => beginSecondFactor(kit, caller),
  });
  installationOperation(app, kit.access, {
    method: 'POST',
    path: PATH,
    scope: null,
    action: 'auth.enable-second-factor',
    withoutSecondFactor: true,
    summary: 'Turn on two-factor log-in with the password and a code of the authenticator app',
    description:
      'For the token or session of a user, who gets a mail. A person with a passkey gives it as well. It counts for all companies of the person. The recovery codes are in this response only.',
    body: ref(FactorCode),
    answers: { 200: ref(RecoveryCodes) },
    errors: ['COMPANY_ID_REQUIRED', 'FORBIDDEN', 'SECOND_FACTOR_EXISTS'],
    handler: async (caller, { body, reply }) => {
      const passkey = await proveOwnPasskey(kit, caller.read, body.passkey, reply.request.headers);
      return enableSecondFactor(kit, caller, body, passkey);
    },
  });
}
