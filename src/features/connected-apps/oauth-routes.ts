/**
 * The OAuth endpoints, in the shapes that their standards give them: metadata (RFC 9728, RFC 8414), registration (RFC 7591), tokens (RFC
 * 6749) and revocation (RFC 7009). The page of the console at /console/connect is the authorization endpoint.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Kit } from '../../kit.ts';
import { admitWithHeaders, createVisitCounter, readRequestOrigin } from '../../platform/http/access.ts';
import { PUBLIC_BODY_LIMIT } from '../../platform/http/body.ts';
import { drainBody, meetFailure } from '../../platform/http/http.ts';
import { MCP_PATH, mcpAddress, PROTECTED_RESOURCE } from '../../platform/http/mcp-address.ts';
import { addressGroup } from '../../platform/http/limits.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { ClientFault, registerClient } from './clients.ts';
import { issueTokens, OauthError, revokeToken, type TokenRequest } from './grants.ts';
import { OAUTH_SCOPES } from './requests.ts';

const HOUR_SECONDS = 3_600;
// One address may be that of a service that registers a client for each of its users.
const REGISTRATIONS = declareLimit(100, {
  topic: 'MCP',
  what: 'Registrations of OAuth clients from one address in an hour',
  beyond: '429',
});

const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server';

export function oauthRoutes(app: FastifyInstance, kit: Kit): void {
  const count = createVisitCounter(kit.access);
  void app.register(async (inner) => {
    inner.addContentTypeParser('application/x-www-form-urlencoded', async (request: FastifyRequest) =>
      readForm(await app.bodies.receive(request, PUBLIC_BODY_LIMIT)),
    );
    inner.setErrorHandler(sendError);
    const declare = (
      method: 'GET' | 'POST',
      url: string,
      handler: RouteOptions['handler'],
      onRequest: RouteOptions['onRequest'] = count,
    ): void => {
      const options = { config: { access: 'public' }, schema: { hide: true }, bodyLimit: PUBLIC_BODY_LIMIT };
      inner.route({ ...options, method, url, onRequest, handler });
    };
    // Behind a proxy with a prefix the standards put the prefix at the end of the path.
    const prefix = new URL(kit.config.PUBLIC_URL).pathname.replace(/\/$/, '');
    for (const end of new Set(['', prefix])) {
      declare('GET', `${PROTECTED_RESOURCE}${end}${MCP_PATH}`, async () => describeResource(kit));
      declare('GET', `${AUTHORIZATION_SERVER}${end}`, async () => describeServer(kit));
    }
    declare('POST', '/oauth/register', (request, reply) => register(kit, request, reply), admitRegistration(kit));
    declare('POST', '/oauth/token', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return issueTokens(kit, expectForm(request), readRequestOrigin(request));
    });
    declare('POST', '/oauth/revoke', async (request, reply) => {
      await revokeToken(kit, expectForm(request), readRequestOrigin(request));
      return reply.code(200).send();
    });
  });
}

const describeResource = (kit: Kit) => ({
  resource: mcpAddress(kit),
  authorization_servers: [kit.config.PUBLIC_URL],
  scopes_supported: OAUTH_SCOPES,
  bearer_methods_supported: ['header'],
  resource_name: 'Parley',
  resource_documentation: `${kit.config.PUBLIC_URL}/docs/mcp`,
});

const describeServer = ({ config: { PUBLIC_URL } }: Kit) => ({
  issuer: PUBLIC_URL,
  authorization_endpoint: `${PUBLIC_URL}/console/connect`,
  token_endpoint: `${PUBLIC_URL}/oauth/token`,
  registration_endpoint: `${PUBLIC_URL}/oauth/register`,
  revocation_endpoint: `${PUBLIC_URL}/oauth/revoke`,
  scopes_supported: OAUTH_SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
});

const admitRegistration =
  ({ access }: Kit) =>
  (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const subject = `registrations:${addressGroup(request.ip)}`;
    return admitWithHeaders(access, reply, [
      { subject, refillPerSecond: REGISTRATIONS / HOUR_SECONDS, capacity: REGISTRATIONS },
    ]);
  };

async function register(kit: Kit, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { _id, name, redirect_uris, created_at } = await registerClient(kit, request.body, request.ip);
  reply.code(201).header('cache-control', 'no-store');
  return {
    client_id: _id,
    client_id_issued_at: Math.floor(Date.parse(created_at) / 1_000),
    client_name: name,
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/** Throws for a parameter that is sent twice, as RFC 6749 wants it. */
function readForm(body: Buffer): TokenRequest {
  const form = new URLSearchParams(body.toString());
  if (new Set(form.keys()).size < form.size) throw new OauthError('invalid_request', 'A parameter is repeated');
  return form;
}

function expectForm({ headers, body }: FastifyRequest): TokenRequest {
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    throw new OauthError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded');
  return (body ?? new URLSearchParams()) as TokenRequest;
}

async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { code, status, message } = await describeError(error, request, reply);
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/json')
    .send({ error: code, error_description: message });
}

async function describeError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Pick<OauthError, 'code' | 'status' | 'message'>> {
  if (error instanceof OauthError) {
    await drainBody(request, reply);
    return error;
  }
  if (error instanceof ClientFault) {
    const code = error.part === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
    return { code, status: 400, message: error.message };
  }
  const problem = await meetFailure(error, request, reply);
  reply.headers(problem.headers);
  const code =
    problem.status >= 500 ? 'server_error' : problem.status === 429 ? 'temporarily_unavailable' : 'invalid_request';
  return { code, status: problem.status, message: problem.message };
}
