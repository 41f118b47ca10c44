/** Reads the authorization requests of OAuth clients (OAuth 2.1, RFC 7636, RFC 8707). */
import type { Kit } from '../../kit.ts';
import { mcpAddress } from '../../platform/http/mcp-address.ts';
import { invalid } from '../../platform/values/errors.ts';
import { APP_ACCESS, limitToApp, type AppAccess } from '../../platform/values/scopes.ts';
import { expectClient } from './clients.ts';
import { answerAt, isRegistered } from './redirects.ts';

/** The OAuth scope of each kind of access; each includes those before it. */
export const OAUTH_SCOPES = APP_ACCESS.map((access) => access.toLowerCase());
export const listOauthScopes = (access: AppAccess): string[] => OAUTH_SCOPES.slice(0, APP_ACCESS.indexOf(access) + 1);

/** S256 of a verifier: the hash of SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

export interface AuthorizationRequest {
  clientId: string;
  name: string;
  redirectUri: string;
  challenge: string;
  /** What the client asks for and the user can grant. */
  access: AppAccess[];
  /** Returns the client's address with an answer. */
  answer(answer: Record<string, string>): string;
}

/** A request that its client is told is wrong. */
export interface RefusedRequest {
  redirect_to: string;
}

/** Throws VALIDATION_FAILED unless the client and its address are known: without them nobody can be sent back. */
export async function readRequest(
  kit: Kit,
  { companyId, scopes }: { companyId: string; scopes: readonly string[] },
  text: string,
): Promise<AuthorizationRequest | RefusedRequest> {
  const parameters = new URLSearchParams(text);
  const read = (name: string): string | null => {
    const values = parameters.getAll(name);
    if (values.length > 1) throw invalid('request', `has ${name} more than once`);
    return values[0] ?? null;
  };
  const clientId = read('client_id') ?? '';
  const redirectUri = read('redirect_uri') ?? '';
  const client = await expectClient(kit, companyId, clientId);
  if (!isRegistered(redirectUri, client.redirect_uris))
    throw invalid('request', 'has a redirect_uri that the client has not registered', 'UNKNOWN_REDIRECT_URI');
  const state = read('state');
  const answer: AuthorizationRequest['answer'] = (given) =>
    answerAt(redirectUri, { ...given, state, iss: kit.config.PUBLIC_URL });
  const challenge = read('code_challenge') ?? '';
  const asked = chooseAccess(read('scope'));
  const fault = findFault();
  if (fault) return { redirect_to: answer({ error: fault[0], error_description: fault[1] }) };
  const access = asked.filter((each) => isGrantable(scopes, each));
  return { clientId, name: client.name, redirectUri, challenge, access, answer };

  function findFault(): [string, string] | null {
    if (read('response_type') !== 'code') return ['unsupported_response_type', 'response_type must be code'];
    if ((read('response_mode') ?? 'query') !== 'query') return ['invalid_request', 'response_mode must be query'];
    if (read('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
      return ['invalid_request', 'code_challenge with code_challenge_method=S256 is required'];
    if (parameters.getAll('resource').some((resource) => resource !== mcpAddress(kit)))
      return ['invalid_target', `resource must be ${mcpAddress(kit)}`];
    if (asked.length === 0) return ['invalid_scope', `scope must be among ${OAUTH_SCOPES.join(', ')}`];
    return null;
  }
}

/** Unknown scopes are ignored, as OAuth allows. A request without scopes asks for all. */
function chooseAccess(scope: string | null): AppAccess[] {
  const named = (scope ?? '').split(' ').filter((each) => each !== '');
  if (named.length === 0) return [...APP_ACCESS];
  return APP_ACCESS.slice(0, OAUTH_SCOPES.findLastIndex((each) => named.includes(each)) + 1);
}

/** Nobody grants what they cannot do themselves. */
function isGrantable(scopes: readonly string[], access: AppAccess): boolean {
  const held = limitToApp(scopes, access);
  if (access === 'SEND') return held.includes('messages:create');
  return access === 'READ' || held.some((scope) => !scope.endsWith(':read'));
}
