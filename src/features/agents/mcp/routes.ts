import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { hangUpSignal } from '../../../platform/http/hang-up.ts';
import { operation } from '../../../platform/http/route.ts';
import { ref } from '../../../platform/values/schema.ts';
import { lookUpContact } from './look-up.ts';
import {
  ContactLookUp,
  LookUpParams,
  McpCheck,
  McpServer,
  McpServerCreate,
  McpServerList,
  McpServerParams,
  McpServerQuery,
  McpServerUpdate,
} from './schemas.ts';
import {
  checkMcpServer,
  createMcpServer,
  getsMore,
  looksUpMore,
  pageMcpServers,
  readMcpServer,
  removeMcpServer,
  updateMcpServerById,
} from './servers.ts';

const LOOK_UP_NEEDS = {
  scopes: ['contacts:read'],
  when: 'if the change makes look-ups send values of contacts to a server or tool',
} as const;

export function mcpRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/agents/mcp-servers',
    scope: 'agents:create',
    needs: [{ ...LOOK_UP_NEEDS, arises: (_tenant, { body }) => Boolean(body.look_up) }],
    action: 'mcp-servers.create',
    summary: 'Add an MCP server',
    description:
      'Agents that list the server can call its approved tools. The company needs `client_mcp_servers_enabled`, and can have at most three servers.',
    body: ref(McpServerCreate),
    answers: { 201: ref(McpServer) },
    errors: ['TARGET_NOT_ALLOWED', 'MCP_NOT_ENABLED'],
    handler: (tenant, { body }) => createMcpServer(kit, tenant, body),
    again: ({ read }, id) => readMcpServer(kit, read, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/agents/mcp-servers',
    scope: 'agents:read',
    summary: 'List MCP servers',
    description: 'Each server with its approved tools, and whether the server has changed or removed them.',
    query: McpServerQuery,
    answers: { 200: McpServerList },
    handler: (tenant, { query }) => pageMcpServers(kit, tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/agents/mcp-servers/:id',
    scope: 'agents:read',
    summary: 'Read an MCP server',
    description: 'The value of its header is masked.',
    params: McpServerParams,
    answers: { 200: ref(McpServer) },
    handler: ({ read }, { params }) => readMcpServer(kit, read, params.id),
  });
  changeRoutes(app, kit);
  lookUpRoute(app, kit);
}

function changeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/agents/mcp-servers/:id',
    scope: 'agents:update',
    needs: [
      {
        scopes: ['messages:read', 'attachments:read'],
        when: 'if the server gets another `url` or tool, because agents can pass on to it what contacts write',
        arises: ({ read }, { params, body }) => getsMore(read, params.id, body),
      },
      { ...LOOK_UP_NEEDS, arises: ({ read }, { params, body }) => looksUpMore(read, params.id, body) },
    ],
    action: 'mcp-servers.update',
    summary: 'Change an MCP server, or approve its tools',
    description:
      'The change applies from the next answer. `tools` are tools from the check, as a person has read them.',
    params: McpServerParams,
    body: ref(McpServerUpdate),
    answers: { 200: ref(McpServer) },
    errors: ['TARGET_NOT_ALLOWED', 'MCP_NOT_ENABLED'],
    handler: (tenant, { params, body }) => updateMcpServerById(kit, tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/agents/mcp-servers/:id',
    scope: 'agents:delete',
    action: 'mcp-servers.delete',
    summary: 'Remove an MCP server',
    description: 'Agents that list it continue without its tools.',
    params: McpServerParams,
    answers: { 200: ref(McpServer) },
    handler: (tenant, { params }) => removeMcpServer(kit, tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/agents/mcp-servers/:id/check',
    scope: 'agents:update',
    action: null,
    summary: 'Check which tools an MCP server offers',
    description:
      "Lists the server's tools, so that a person can approve them, and marks approved tools whose description " +
      'has changed. `error` of the server says why it does not respond.',
    params: McpServerParams,
    answers: { 200: ref(McpCheck) },
    errors: ['MCP_NOT_ENABLED'],
    handler: (tenant, { params, reply }) => checkMcpServer(kit, tenant, params.id, hangUpSignal(reply)),
  });
}

function lookUpRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/:id/look-ups/:server',
    scope: 'contacts:read',
    summary: 'Look a contact up with an MCP server',
    description:
      'Calls the tool in `look_up` of the server with values of the contact, and returns what it says. 404 if the server has no `look_up`.',
    params: LookUpParams,
    answers: { 200: ref(ContactLookUp) },
    errors: ['MCP_NOT_ENABLED'],
    handler: (tenant, { params, reply }) => lookUpContact(kit, tenant, params, hangUpSignal(reply)),
  });
}
