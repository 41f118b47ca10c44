/** A small OpenID provider: a real HTTP server with real keys, which can also answer wrongly. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';

export const CLIENT = { client_id: 'parley', client_secret: 'a secret of the client' };

/** Whom the provider logs in, and what is wrong with its answers. */
export interface Behaviour {
  claims: JWTPayload;
  /** NONE: not signed · FOREIGN: by a key that the provider does not publish */
  signature: 'OWN' | 'NONE' | 'FOREIGN';
  /** Lets every call wait until the test ends. */
  hangs: boolean;
  /** Changes the query with which the browser goes back. */
  comeBack(query: URLSearchParams): void;
  describe: Record<string, unknown>;
}

export interface Provider {
  issuer: string;
  behaviour: Behaviour;
  /** Behaves as at first, with these differences. */
  behave(differences?: Partial<Behaviour>): void;
  /** The paths that were called. */
  calls: string[];
}

const GOOD: Behaviour = {
  claims: { sub: 'ana-1', email: 'ana@acme.test', email_verified: true, name: 'Ana Souza' },
  signature: 'OWN',
  hangs: false,
  comeBack: () => undefined,
  describe: {},
};

/** What the provider remembers of a code. */
interface Granted {
  nonce: string;
  challenge: string;
}

export async function startProvider(algorithm: 'RS256' | 'ES256' = 'RS256'): Promise<Provider> {
  const [own, foreign] = await Promise.all([generateKeyPair(algorithm), generateKeyPair(algorithm)]);
  const key = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: algorithm, use: 'sig' };
  const granted = new Map<string, Granted>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Neither the server nor a call that hangs keeps the process alive.
  server.unref();
  server.on('connection', (socket) => socket.unref());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: Provider = {
    issuer,
    behaviour: GOOD,
    behave: (differences = {}) => void (provider.behaviour = { ...GOOD, ...differences }),
    calls: [],
  };

  const describe = (): object => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
    ...provider.behaviour.describe,
  });

  function authorize(query: URLSearchParams): string {
    const code = randomUUID();
    granted.set(code, { nonce: query.get('nonce') ?? '', challenge: query.get('code_challenge') ?? '' });
    const back = new URLSearchParams({ code, state: query.get('state') ?? '' });
    provider.behaviour.comeBack(back);
    return `${query.get('redirect_uri')}?${back.toString()}`;
  }

  async function makeTokens(body: string, authorization: string): Promise<object | null> {
    const form = new URLSearchParams(body);
    const code = form.get('code') ?? '';
    const grant = granted.get(code);
    granted.delete(code);
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(form.get('code_verifier') ?? ''));
    const isProven = Buffer.from(digest).toString('base64url') === grant?.challenge;
    const expected = [CLIENT.client_id, CLIENT.client_secret].map((part) =>
      encodeURIComponent(part).replaceAll('%20', '+'),
    );
    const isClient = authorization === `Basic ${Buffer.from(expected.join(':')).toString('base64')}`;
    if (!grant || !isProven || !isClient) return null;
    const now = Math.floor(Date.now() / 1_000);
    const shared = { iss: issuer, aud: CLIENT.client_id, iat: now, exp: now + 300, nonce: grant.nonce };
    const claims = { ...shared, ...provider.behaviour.claims };
    const { signature } = provider.behaviour;
    const signer = signature === 'FOREIGN' ? foreign : own;
    const id_token =
      signature === 'NONE'
        ? new UnsecuredJWT(claims).encode()
        : await new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: 'one' }).sign(signer.privateKey);
    return { access_token: randomUUID(), token_type: 'Bearer', expires_in: 300, id_token };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    provider.calls.push(pathname);
    if (provider.behaviour.hangs) return;
    const send = (status: number, value: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/.well-known/openid-configuration') return send(200, describe());
    if (pathname === '/keys') return send(200, { keys: [key] });
    if (pathname === '/authorize') return void response.writeHead(302, { location: authorize(searchParams) }).end();
    const tokens =
      pathname === '/token' ? await makeTokens(await text(request), request.headers.authorization ?? '') : null;
    return tokens ? send(200, tokens) : send(400, { error: 'invalid_grant' });
  }

  return provider;
}
