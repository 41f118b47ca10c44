import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { CREATE_NEEDS, TRY_NEEDS, UPDATE_NEEDS } from './powers.ts';
import { createAgent, expectAgent, pageAgents, removeAgent, updateAgentById } from './agents.ts';
import { Agent, AgentCreate, AgentList, AgentParams, AgentQuery, AgentUpdate } from './schemas.ts';
import { AgentTrial, AgentTry, AgentTurnList, AgentTurnQuery } from './turns/schemas.ts';
import { cancelFollowUp, expectFollowUp, pageFollowUps } from './follow-ups/follow-ups.ts';
import { FollowUp, FollowUpList, FollowUpParams, FollowUpQuery } from './follow-ups/schemas.ts';
import { pageTurns, tryAgent } from './turns/turns.ts';

export function agentRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('agents', 'Automatic answers to contacts');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/agents',
    scope: 'agents:create',
    needs: CREATE_NEEDS,
    summary: 'Create an agent',
    description:
      'An agent of type AI answers from the knowledge base; an EXTERNAL one posts the question to `url`. It ' +
      'answers in the inboxes, campaigns and conversations that use it.',
    body: ref(AgentCreate),
    answers: { 201: ref(Agent) },
    errors: ['TARGET_NOT_ALLOWED'],
    handler: (tenant, { body }) => createAgent(kit, tenant, body),
    again: ({ read }, id) => expectAgent(read, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/agents',
    scope: 'agents:read',
    summary: 'List agents, without their instructions',
    description: 'Filter by `type` and `status`; `search` finds part of the name or the description.',
    query: AgentQuery,
    answers: { 200: AgentList },
    handler: (tenant, { query }) => pageAgents(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/agents/:id',
    scope: 'agents:read',
    summary: 'Read an agent',
    description: 'Returns all settings, including the instructions.',
    params: AgentParams,
    answers: { 200: ref(Agent) },
    handler: ({ read }, { params }) => expectAgent(read, params.id),
  });
  changeRoutes(app, kit);
  turnRoutes(app, kit);
  followUpRoutes(app, kit);
}

function changeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/agents/:id',
    scope: 'agents:update',
    needs: UPDATE_NEEDS,
    summary: 'Change an agent',
    description:
      'The change applies from the next answer. If an agent becomes INACTIVE, it hands its conversations over when their contacts write.',
    params: AgentParams,
    body: ref(AgentUpdate),
    answers: { 200: ref(Agent) },
    errors: ['TARGET_NOT_ALLOWED'],
    handler: (tenant, { params, body }) => updateAgentById(kit, tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/agents/:id',
    scope: 'agents:delete',
    summary: 'Remove an unused agent',
    description:
      'An agent that an inbox, a campaign or a conversation uses cannot be removed; make it INACTIVE instead.',
    params: AgentParams,
    answers: { 200: ref(Agent) },
    errors: ['AGENT_IN_USE'],
    handler: (tenant, { params }) => removeAgent(tenant, params.id),
  });
}

function turnRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/agents/:id/try',
    scope: 'agents:update',
    needs: TRY_NEEDS,
    action: null,
    summary: 'Try an agent',
    description:
      'Answers a message and its files exactly as the agent would answer a contact. Nothing is sent, and ' +
      'nothing is stored except the text extracted from the files. The call uses tokens of the day, and calls ' +
      'tools of MCP servers.',
    params: AgentParams,
    body: ref(AgentTry),
    answers: { 200: ref(AgentTrial) },
    handler: (tenant, { params, body, reply }) =>
      tryAgent(kit, tenant, params.id, { ...body, signal: hangUpSignal(reply) }),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/agents/turns',
    scope: 'agents:read',
    summary: 'List the turns of agents',
    description: 'What an agent has read, and how it answered or why a person took over.',
    query: AgentTurnQuery,
    answers: { 200: AgentTurnList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => pageTurns(tenant, query),
  });
}

function followUpRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/agents/follow-ups',
    scope: 'agents:read',
    summary: 'List follow-ups of agents',
    description: 'What agents have written, or will write, to contacts who do not reply.',
    query: FollowUpQuery,
    answers: { 200: FollowUpList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => pageFollowUps(tenant, query),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/agents/follow-ups/:id/cancel',
    scope: 'agents:update',
    action: 'agents.cancel-follow-up',
    summary: 'Cancel a scheduled follow-up',
    description:
      'It is not sent, and its `cancel_reason` is CANCELLED_BY_REQUEST. A follow-up that was already sent or cancelled returns 409.',
    params: FollowUpParams,
    answers: { 201: ref(FollowUp) },
    errors: ['FOLLOW_UP_ENDED'],
    handler: (tenant, { params }) => cancelFollowUp(tenant, params.id),
    again: ({ read }, id) => expectFollowUp(read, id),
  });
}
