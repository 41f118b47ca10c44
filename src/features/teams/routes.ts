import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { Team, TeamCreate, TeamList, TeamParams, TeamQuery, TeamUpdate } from './schemas.ts';
import { createTeam, pageTeams, readTeam, removeTeam, updateTeamById } from './teams.ts';

export function teamRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('teams', 'Groups of users to whom conversations are assigned');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/teams',
    scope: 'users:create',
    action: 'teams.create',
    summary: 'Create a team',
    description:
      'Conversations are assigned to a team by their `team`, new ones by the `default_team` of their inbox. A member can still own each of them.',
    body: ref(TeamCreate),
    answers: { 201: ref(Team) },
    errors: ['TEAM_EXISTS'],
    handler: (tenant, { body }) => createTeam(tenant, body),
    again: readTeam,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/teams',
    scope: 'users:read',
    summary: 'List teams',
    description: '`member` lists the teams of a user; `search` finds part of the name.',
    query: TeamQuery,
    answers: { 200: TeamList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => pageTeams(tenant, query),
  });
  recordRoutes(app, kit);
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/teams/:id',
    scope: 'users:read',
    summary: 'Read a team',
    description: 'Its conversations are listed by `GET /v1/conversations?team=<id>`.',
    params: TeamParams,
    answers: { 200: ref(Team) },
    handler: (tenant, { params }) => readTeam(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/teams/:id',
    scope: 'users:update',
    action: 'teams.update',
    summary: 'Change a team',
    description: 'Fields that the request does not name stay unchanged; `members` replaces all members.',
    params: TeamParams,
    body: ref(TeamUpdate),
    answers: { 200: ref(Team) },
    errors: ['TEAM_EXISTS'],
    handler: (tenant, { params, body }) => updateTeamById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/teams/:id',
    scope: 'users:delete',
    action: 'teams.delete',
    summary: 'Remove a team; its conversations keep their owner',
    description:
      'The team is removed immediately. Its conversations lose it in the background, each with CONVERSATION_UPDATED, and inboxes lose it as ' +
      'their default team.',
    params: TeamParams,
    answers: { 200: ref(Team) },
    handler: (tenant, { params }) => removeTeam(kit, tenant, params.id),
  });
}
