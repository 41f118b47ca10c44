import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import type { Need } from '../../platform/http/needs.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import {
  InvitedUser,
  User,
  UserChange,
  UserChanged,
  UserCreate,
  UserList,
  UserParams,
  UserQuery,
  UserUpdate,
} from './schemas.ts';
import { inviteUserForCaller, pageUsers, readUser, removeUser, updateUserById } from './users.ts';

export function userRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('users', 'The users of a company');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/users',
    scope: 'users:create',
    summary: 'Invite a user; the mail has a link for setting the password',
    description:
      'Callers can give only roles whose rights they have themselves. The mail is in the given `language`, or ' +
      "else in the inviting user's, or else in the company's. Without `SMTP_URL` no mail can be sent, and the " +
      'response has the link instead, once: a repeat with the Idempotency-Key does not return it.',
    body: ref(UserCreate),
    answers: { 201: ref(InvitedUser) },
    errors: ['USER_EXISTS'],
    handler: (tenant, { body }) => inviteUserForCaller(kit, tenant, body),
    again: readUser,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/users',
    scope: 'users:read',
    summary: 'List users',
    description:
      'INACTIVE users are listed as well, and INVITED ones who have not set a password yet; filter by `status` and `role`.',
    query: UserQuery,
    answers: { 200: UserList },
    handler: (tenant, { query }) => pageUsers(tenant, query),
  });
  recordRoutes(app, kit);
}

/** The right to change users does not include the right to revoke keys. */
const NEEDS_TO_REVOKE: Need<{ query: UserChange }> = {
  scopes: ['api-keys:delete'],
  when: 'if `revoke_keys` is true',
  flag: 'revoke_keys',
  arises: (_tenant, { query }) => query.revoke_keys === true,
};

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/users/:id',
    scope: 'users:read',
    summary: 'Read a user',
    description: 'Returns the name, e-mail, role and status of a user. Responses never contain a password.',
    params: UserParams,
    answers: { 200: ref(User) },
    handler: (tenant, { params }) => readUser(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/users/:id',
    scope: 'users:update',
    needs: [NEEDS_TO_REVOKE],
    summary: 'Change a user; INACTIVE ends the sessions and removes the user from the records assigned to them',
    description:
      'A user who becomes INACTIVE is no longer owner, attendant or default owner of any record. The user is ' +
      'removed in the background from conversations and contacts, with CONVERSATION_UPDATED or CONTACT_UPDATED ' +
      'for each, and from businesses and inboxes. API keys belong to the company and stay valid, unless ' +
      'revoke_keys is true.',
    params: UserParams,
    query: UserChange,
    body: ref(UserUpdate),
    answers: { 200: ref(UserChanged) },
    errors: ['USER_EXISTS', 'LAST_OWNER'],
    handler: (tenant, { params, query, body }) =>
      updateUserById(kit, tenant, params.id, { input: body, revokeKeys: query.revoke_keys ?? false }),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/users/:id',
    scope: 'users:delete',
    needs: [NEEDS_TO_REVOKE],
    summary: 'Remove a user; records assigned to them become unassigned',
    description:
      'The user is removed immediately, and the e-mail becomes available. As owner and attendant, the user is ' +
      'removed in the background from conversations and contacts, with CONVERSATION_UPDATED or CONTACT_UPDATED ' +
      'for each, and from businesses and inboxes. API keys belong to the company and stay valid, unless ' +
      'revoke_keys is true.',
    params: UserParams,
    query: UserChange,
    answers: { 200: ref(UserChanged) },
    errors: ['LAST_OWNER'],
    handler: (tenant, { params, query }) => removeUser(kit, tenant, params.id, query.revoke_keys ?? false),
  });
}
