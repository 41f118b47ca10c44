/** A client that connects to the MCP server by OAuth, request by request. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { Json, Platform } from './platform.ts';

export const REDIRECT_URI = 'https://assistant.example/callback';

export interface OauthAnswer {
  status: number;
  body: Json;
}

/** Posts a form to an endpoint of OAuth. */
export async function postOauth({ url }: Platform, path: string, form: Record<string, string>): Promise<OauthAnswer> {
  const answer = await fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams(form) });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
}

export async function registerClient({ url }: Platform, description: Json = {}): Promise<OauthAnswer> {
  const answer = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [REDIRECT_URI], ...description }),
  });
  return { status: answer.status, body: await answer.json() };
}

/** One attempt of a client to be connected. */
export interface Attempt {
  clientId: string;
  verifier: string;
  /** The query with which the client opens the consent page. */
  request: string;
}

/** Makes the request of a client; a parameter that is null is left out. */
export async function startAttempt(
  platform: Platform,
  { clientId, ...changed }: Record<string, string | null> = {},
): Promise<Attempt> {
  const client = clientId ?? ((await registerClient(platform)).body.client_id as string);
  const verifier = randomBytes(32).toString('base64url');
  const parameters: Record<string, string | null> = {
    response_type: 'code',
    client_id: client,
    redirect_uri: REDIRECT_URI,
    state: 'xyz',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${platform.url}/mcp`,
    ...changed,
  };
  const request = new URLSearchParams(
    Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null),
  ).toString();
  return { clientId: client, verifier, request };
}

export interface Connection extends Attempt {
  _id: string;
  /** What the token endpoint takes for the code. */
  form: Record<string, string>;
  access: string;
  refresh: string;
}

/** Connects a client as a user, and has its code redeemed. */
export async function connectApp(
  platform: Platform,
  user: { token: string },
  { access = 'SEND', ...changed }: Record<string, string | null> = {},
): Promise<Connection> {
  const attempt = await startAttempt(platform, changed);
  const { _id, form } = await grantApp(platform, user, attempt, access ?? 'SEND');
  const { status, body } = await postOauth(platform, '/oauth/token', form);
  assert.equal(status, 200, JSON.stringify(body));
  return { ...attempt, _id, form, access: body.access_token, refresh: body.refresh_token };
}

/** Grants a client's request as a user. The code is not redeemed yet. */
export async function grantApp(
  platform: Platform,
  user: { token: string },
  { request, clientId, verifier }: Attempt,
  access = 'SEND',
): Promise<Pick<Connection, '_id' | 'form'>> {
  const made = await platform.call(201, 'POST', '/v1/connected-apps', { key: user.token, body: { request, access } });
  const { searchParams } = new URL(made.body.redirect_to);
  const form = {
    grant_type: 'authorization_code',
    code: searchParams.get('code') ?? '',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
    resource: `${platform.url}/mcp`,
  };
  return { _id: made.body._id, form };
}

export const refreshTokens = (platform: Platform, { clientId }: Attempt, token: string): Promise<OauthAnswer> =>
  postOauth(platform, '/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token });

/** Lists the names of the tools that a token may use. */
export async function listTools(
  { url }: Platform,
  token: string,
): Promise<{ status: number; challenge: string | null; tools: string[] }> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  const text = await answer.text();
  const json = JSON.parse(text.startsWith('event') ? (/^data: (.*)$/m.exec(text)?.[1] ?? '{}') : text) as Json;
  const tools = ((json.result?.tools ?? []) as Json[]).map(({ name }: Json): string => name);
  return { status: answer.status, challenge: answer.headers.get('www-authenticate'), tools };
}
