/**
 * The codes and tokens of connected apps. They are signed, name the company and the app, and are stored nowhere; of the refresh token that
 * counts the hash is stored. A code or refresh token that is shown a second time has been stolen from somebody, so it ends the connection.
 */
import { createHash } from 'node:crypto';
import type { Kit } from '../../kit.ts';
import { recordAudit, type LoggedActor, type Origin } from '../../platform/http/audit.ts';
import { hashToken } from '../../platform/http/auth.ts';
import { mcpAddress } from '../../platform/http/mcp-address.ts';
import { signToken, verifyAppToken, type AppClaims } from '../../platform/http/tokens.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { newId } from '../../platform/values/ids.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { touchClient } from './client-queries.ts';
import { deleteGrant, lockGrant, storeRefresh, type Grant } from './queries.ts';
import { listOauthScopes } from './requests.ts';

export const CODE_SECONDS = declareLimit(300, {
  topic: 'MCP',
  what: 'Authorization code',
  unit: 'seconds',
  beyond: 'connect again',
});
const ACCESS_SECONDS = declareLimit(3_600, {
  topic: 'MCP',
  what: 'Access token of an app',
  unit: 'seconds',
  beyond: '401; the app refreshes it',
});
export const REFRESH_DAYS = declareLimit(30, {
  topic: 'MCP',
  what: 'Connected app that is not used',
  unit: 'days',
  beyond: 'connect again',
});
const REFRESH_SECONDS = REFRESH_DAYS * 86_400;

/** An error of the token endpoint, with its code from RFC 6749. */
export class OauthError extends Error {
  override name = 'OauthError';
  readonly code: string;
  readonly status: number;
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

type Bearer = Pick<Grant, '_id' | 'company' | 'user'>;

const sign = (kit: Kit, { _id, company, user }: Bearer, use: AppClaims['use'], seconds: number): Promise<string> =>
  signToken(
    kit.tokenSecret,
    user,
    { jti: newId(), type: 'app', use, company, app: _id, exp: Math.floor(Date.now() / 1_000) + seconds },
    mcpAddress(kit),
  );

export const makeCode = (kit: Kit, app: Bearer): Promise<string> => sign(kit, app, 'CODE', CODE_SECONDS);

export interface Tokens {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** What a client sends to the token endpoint. */
export type TokenRequest = URLSearchParams;

export async function issueTokens(kit: Kit, request: TokenRequest, origin: Origin): Promise<Tokens> {
  const kind = request.get('grant_type');
  if ((request.get('resource') ?? mcpAddress(kit)) !== mcpAddress(kit))
    throw new OauthError('invalid_target', `resource must be ${mcpAddress(kit)}`);
  if (kind === 'authorization_code') return exchange(kit, request, origin, CODE);
  if (kind === 'refresh_token') return exchange(kit, request, origin, REFRESH);
  throw new OauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
}

/** One kind of credential that is exchanged for tokens, once. */
interface Exchange {
  use: AppClaims['use'];
  parameter: string;
  wasUsed(grant: Grant, credential: string): boolean;
  fits(grant: Grant, request: TokenRequest): boolean;
}

const CODE: Exchange = {
  use: 'CODE',
  parameter: 'code',
  wasUsed: ({ refresh_hash }) => refresh_hash !== null,
  fits: ({ redirect_uri, challenge }, request) =>
    request.get('redirect_uri') === redirect_uri && hashVerifier(request.get('code_verifier') ?? '') === challenge,
};

const REFRESH: Exchange = {
  use: 'REFRESH',
  parameter: 'refresh_token',
  wasUsed: ({ refresh_hash }, token) => !refresh_hash?.equals(hashToken(token)),
  fits: () => true,
};

const hashVerifier = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

async function exchange(
  kit: Kit,
  request: TokenRequest,
  origin: Origin,
  { use, parameter, wasUsed, fits }: Exchange,
): Promise<Tokens> {
  const credential = request.get(parameter) ?? '';
  const claims = await verifyAppToken(credential, kit.tokenKeyring);
  if (claims?.use !== use || claims.aud !== mcpAddress(kit)) throw invalidGrant();
  const outcome = await kit.database.systemTx(`company:${claims.company}`, async (tx) => {
    const grant = await lockGrant(tx, claims.company, claims.app);
    if (!grant || grant.client_id !== request.get('client_id')) return null;
    if (wasUsed(grant, credential)) {
      await endGrant(tx, grant, { type: 'SYSTEM', _id: null, name: 'Parley' }, origin);
      return 'ENDED';
    }
    return fits(grant, request) ? renewGrant(kit, tx, grant) : null;
  });
  if (outcome === 'ENDED') kit.access.auth.forget();
  if (outcome === null || outcome === 'ENDED') throw invalidGrant();
  return outcome;
}

// The same words for every reason, so that nobody learns which part of a stolen credential is missing.
const invalidGrant = (): OauthError =>
  new OauthError('invalid_grant', 'The code or token is invalid, used, expired, revoked or of another client');

async function renewGrant(kit: Kit, tx: SystemTx, grant: Grant): Promise<Tokens> {
  const refresh_token = await sign(kit, grant, 'REFRESH', REFRESH_SECONDS);
  await storeRefresh(tx, grant, hashToken(refresh_token), REFRESH_SECONDS);
  await touchClient(tx, grant.client_id);
  return {
    access_token: await sign(kit, grant, 'ACCESS', ACCESS_SECONDS),
    token_type: 'Bearer',
    expires_in: ACCESS_SECONDS,
    refresh_token,
    scope: listOauthScopes(grant.access).join(' '),
  };
}

/** Revokes a connection by any of its tokens (RFC 7009); an unknown token is ignored. */
export async function revokeToken(kit: Kit, request: TokenRequest, origin: Origin): Promise<void> {
  const claims = await verifyAppToken(request.get('token') ?? '', kit.tokenKeyring);
  if (!claims) return;
  const isOther = await kit.database.systemTx(`company:${claims.company}`, async (tx) => {
    const grant = await lockGrant(tx, claims.company, claims.app);
    if (grant && grant.client_id !== request.get('client_id')) return true;
    if (grant) await endGrant(tx, grant, { type: 'USER', _id: grant.user, name: grant.userName }, origin);
    return false;
  });
  if (isOther) throw new OauthError('invalid_client', 'The token belongs to another client', 401);
  kit.access.auth.forget();
}

async function endGrant(tx: SystemTx, grant: Grant, actor: LoggedActor, origin: Origin): Promise<void> {
  const { _id, company } = grant;
  await deleteGrant(tx, grant);
  const what = { action: 'connected-apps.delete', resource: 'connected-apps', resourceId: _id, fields: [] };
  await recordAudit(tx, { ...what, company, actor, origin });
}
