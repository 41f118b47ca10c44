/** The MCP server of the API: POST /mcp, without sessions. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit.ts';
import { admitRequest } from '../../platform/http/access.ts';
import { AppError, forbidden, invalid } from '../../platform/values/errors.ts';
import { MCP_PATH, mcpAddress, mcpMetadataAddress } from '../../platform/http/mcp-address.ts';
import type { Principal } from '../../platform/http/auth.ts';
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server';
import { allows } from '../../platform/values/scopes.ts';
import { openInnerCalls, type CallOperation } from '../inner-calls.ts';
import { throwProblem, TOOLSETS, type ToolCaller, type ToolKind, type Toolset } from './tool.ts';
import type { Serving, ToolChoice } from './server.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

interface Admitted {
  principal: Principal;
  companyId: string;
}

export function mcpDoor(app: FastifyInstance, kit: Kit): void {
  const admitted = new WeakMap<FastifyRequest, Admitted>();
  app.route({
    method: 'POST',
    url: MCP_PATH,
    config: { access: 'token' },
    schema: { hide: true },
    onRequest: async (request, reply) => {
      refuseForeignPages(kit, request);
      const { principal, companyId } = await admitRequest(kit.access, request, reply, {
        scope: null,
        needsCompany: true,
        admitsApps: (audience) => audience === mcpAddress(kit),
      }).catch((error: unknown) => Promise.reject(sayWhereToLogIn(kit, error)));
      admitted.set(request, { principal, companyId: companyId ?? '' });
    },
    handler: async (request, reply) => {
      const who = admitted.get(request);
      if (!who) throw new Error('a request that was not admitted reached its handler');
      const call = openInnerCalls(app, request, 'MCP');
      return answer(request, reply, makeCaller(kit, who, call));
    },
  });
}

/** A client without a valid token reads there how it gets one (RFC 9728). */
function sayWhereToLogIn(kit: Kit, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'UNAUTHORIZED') return error;
  const challenge = `Bearer resource_metadata="${mcpMetadataAddress(kit)}"`;
  return new AppError('UNAUTHORIZED', error.message, [], { ...error.headers, 'www-authenticate': challenge });
}

function makeCaller(kit: Kit, { principal, companyId }: Admitted, call: CallOperation): ToolCaller {
  return {
    may: (scope) => allows(principal.scopes, scope),
    mayUse: ({ kind }) => mayAppUse(principal, kind),
    kit,
    principal,
    companyId,
    call: async (...given) => {
      const { status, body } = await call(...given);
      return status < 400 ? body : throwProblem(body);
    },
  };
}

/** A connected app that only reads does not see the tools that change something, whatever scope they take. */
const mayAppUse = (principal: Principal, kind: ToolKind): boolean =>
  kind === 'READ' || principal.type !== 'user' || principal.app !== 'READ';

/** A page that a browser has loaded from elsewhere, or under a name that was made to lead here, gets nothing. */
function refuseForeignPages({ config }: Kit, { headers }: FastifyRequest): void {
  const own = new URL(config.PUBLIC_URL);
  const host = parseHost(headers.host);
  if (host !== own.hostname && !LOOPBACK.has(host)) throw forbidden('host', 'is no name of this server');
  const { origin } = headers;
  if (origin === undefined) return;
  const from = parseHost(origin.replace(/^https?:\/\//, ''));
  if (from !== own.hostname && !LOOPBACK.has(from)) throw forbidden('origin', 'is no page of this server');
}

function parseHost(host: string | undefined): string {
  return URL.parse(`http://${host ?? ''}`)?.hostname ?? '';
}

// Made at the first request, because most installations never need it, and loading it takes memory.
let handler: McpHttpHandler | null = null;

async function answer(request: FastifyRequest, reply: FastifyReply, caller: ToolCaller): Promise<FastifyReply> {
  const { chooseTools, createHandler } = await import('./server.ts');
  handler ??= createHandler();
  const tools = chooseTools(caller, readChoice(request));
  const { id, scopes } = caller.principal;
  const extra = { caller, tools } satisfies Serving;
  return passOn(request, reply, handler, { token: '', clientId: id, scopes: [...scopes], extra });
}

/** Lets a handler of the protocol answer the request. */
export async function passOn(
  request: FastifyRequest,
  reply: FastifyReply,
  protocol: Pick<McpHttpHandler, 'fetch'>,
  authInfo?: AuthInfo,
): Promise<FastifyReply> {
  const response = await protocol.fetch(toWebRequest(request), {
    parsedBody: request.body,
    ...(authInfo && { authInfo }),
  });
  const body = await response.text();
  return reply.code(response.status).headers(Object.fromEntries(response.headers)).send(body);
}

function toWebRequest({ method, url, headers }: FastifyRequest): Request {
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && name !== 'authorization' && name !== 'content-length' ? [[name, value]] : [],
  );
  return new Request(new URL(url, 'http://localhost'), { method, headers: given });
}

/** Reads `?toolsets=a,b&read_only=true`, or the headers that say the same. */
function readChoice({ query, headers }: FastifyRequest): ToolChoice {
  const { toolsets, read_only } = query as Record<string, string | undefined>;
  const named = toolsets ?? headers['x-mcp-toolsets'];
  const isReadOnly = (read_only ?? headers['x-mcp-readonly']) === 'true';
  if (typeof named !== 'string') return { toolsets: null, isReadOnly };
  const names = named.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !TOOLSETS.includes(name as Toolset));
  if (unknown !== undefined) throw invalid('toolsets', `must be among ${TOOLSETS.join(', ')}`);
  return { toolsets: new Set(names as Toolset[]), isReadOnly };
}
