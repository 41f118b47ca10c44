/** An app on the computer of a user, which connects to the MCP server with the OAuth of the protocol's own client. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import {
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';

export interface OauthApp {
  /** Connects, which fails as long as no user has allowed it. */
  connect(): Promise<Client>;
  /** The page to which the app has sent its user. */
  page(): string;
  /** Waits until the user comes back, and redeems the code. */
  finish(): Promise<void>;
  /** What the app was told in the address of its user's return. */
  returned: Promise<URLSearchParams>;
  tokens(): StoredOAuthTokens | undefined;
}

export async function openApp(url: string, name: string): Promise<OauthApp> {
  const back = Promise.withResolvers<URLSearchParams>();
  const callback = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/callback') back.resolve(searchParams);
    response.setHeader('content-type', 'text/html');
    response.end('<title>App</title><link rel="icon" href="data:,"><h1>You can close this page</h1>');
  });
  await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve));
  after(() => {
    callback.closeAllConnections();
    callback.close();
  });
  const redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
  const kept: {
    client?: StoredOAuthClientInformation;
    tokens?: StoredOAuthTokens;
    discovery?: OAuthDiscoveryState;
    verifier: string;
    page: string;
  } = { verifier: '', page: '' };
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: name, redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    state: () => 'state-of-the-app',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (address) => void (kept.page = address.href),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (state) => void (kept.discovery = state),
    discoveryState: () => kept.discovery,
  };
  const openTransport = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider });
  return {
    async connect() {
      const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(openTransport());
      return client;
    },
    page: () => kept.page,
    finish: async () => openTransport().finishAuth(await back.promise),
    returned: back.promise,
    tokens: () => kept.tokens,
  };
}
