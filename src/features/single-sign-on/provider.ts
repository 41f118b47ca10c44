/**
 * The OpenID provider of a company. openid-client reads its description and checks what it says; every call goes through the outgoing
 * guard, has a deadline and a limit of bytes, and holds no connection of the database.
 */
import * as openid from 'openid-client';
import type { Kit } from '../../kit.ts';
import { hasFewParts } from '../../platform/outside/foreign-json.ts';
import { OutboundError, type OutboundErrorKind } from '../../platform/outside/outbound-error.ts';
import type { Outbound } from '../../platform/outside/outbound.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import type { Settings } from './queries.ts';
import type { ProviderReason } from './schemas.ts';

const CALL_SECONDS = declareLimit(10, {
  topic: 'Accounts',
  what: 'Single sign-on: call of a provider',
  unit: 'seconds',
  beyond: 'the log-in fails',
});
const MAX_BYTES = declareLimit(131_072, {
  topic: 'Accounts',
  what: 'Single sign-on: response of a provider',
  unit: 'bytes',
  beyond: 'the log-in fails',
});
/** How long the description of a provider is kept. Its keys are read again when a token names an unknown one. */
const KEPT_MS = 600_000;
/** How long log-ins fail at once after a provider has failed. */
const FAILURE_KEPT_MS = 10_000;
const MOST_KEPT = 500;

export const redirectUri = ({ config }: Pick<Kit, 'config'>): string => `${config.PUBLIC_URL}/console/single-sign-on`;

export const findDomain = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

export const secretContext = (company: string): string => `single_sign_on:${company}:client_secret`;

/** What is wrong with a provider: a code, and words for people of its company. */
export class ProviderFault extends Error {
  readonly reason: ProviderReason;

  constructor(reason: ProviderReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface Claims {
  issuer: string;
  subject: string;
  email: string | null;
  isVerified: boolean;
  name: string | null;
}

/** What a browser keeps between its way to the provider and its way back. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
}

export interface Provider {
  authorizationEndpoint: string;
  /** Where the browser goes to log in. */
  makeAddress(checks: Checks, email: string | null): Promise<string>;
  /** Exchanges the code in the query with which the browser has come back. Throws a ProviderFault for any other than a right answer. */
  readClaims(query: string, checks: Checks): Promise<Claims>;
}

export const makeChecks = (): Checks => ({
  state: openid.randomState(),
  nonce: openid.randomNonce(),
  verifier: openid.randomPKCECodeVerifier(),
});

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** Plain HTTP is only for a provider on this machine, which the operator has to allow in addition. */
export function findProviderFault(address: string): string | null {
  const { protocol, hostname, search, hash } = new URL(address);
  if (search || hash) return 'The issuer must have no query and no fragment.';
  return protocol === 'https:' || LOOPBACK.test(hostname) ? null : 'The issuer must begin with https://.';
}

interface Kept {
  provider: Promise<Provider>;
  until: number;
}

const kept = new Map<string, Kept>();

/** Returns the provider. Callers at the same moment share one look-up, so a provider that hangs is asked once. A failure is kept for seconds. */
export function openProvider(kit: Kit, settings: Settings, { isFresh = false } = {}): Promise<Provider> {
  const key = `${settings.company}:${settings.updatedAt}`;
  const known = kept.get(key);
  if (known && !isFresh && known.until > performance.now()) return known.provider;
  const provider = discover(kit, settings);
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
  const entry = { provider, until: performance.now() + KEPT_MS };
  kept.set(key, entry);
  provider.catch(() => {
    entry.until = Math.min(entry.until, performance.now() + FAILURE_KEPT_MS);
  });
  return provider;
}

async function discover(kit: Kit, settings: Settings): Promise<Provider> {
  const call = makeFetch(kit.outbound);
  const server = new URL(settings.issuer);
  const isPlain = server.protocol === 'http:';
  const execute = isPlain ? [openid.allowInsecureRequests] : [];
  const options = { execute, timeout: CALL_SECONDS, [openid.customFetch]: call };
  const found = await explain(openid.discovery(server, settings.client_id, undefined, openid.None(), options));
  const metadata = found.serverMetadata();
  // The library accepts the address that serves all companies of a large provider, whose users could all log in then.
  if (new URL(metadata.issuer).href !== server.href)
    throw new ProviderFault('OTHER_ISSUER', `The provider says that its issuer is ${metadata.issuer}.`);
  const endpoint = metadata.authorization_endpoint ?? '';
  if (!metadata.token_endpoint || !metadata.jwks_uri || !endpoint)
    throw new ProviderFault(
      'INCOMPLETE',
      'The provider does not name its authorization endpoint, token endpoint and keys.',
    );
  if (URL.parse(endpoint)?.protocol !== 'https:' && !isPlain)
    throw new ProviderFault('NOT_HTTPS', 'The authorization endpoint of the provider must begin with https://.');
  const secret = settings.client_secret && kit.secrets.open(settings.client_secret, secretContext(settings.company));
  const config = new openid.Configuration(
    metadata,
    settings.client_id,
    {},
    chooseAuth(secret, metadata.token_endpoint_auth_methods_supported),
  );
  config[openid.customFetch] = call;
  config.timeout = CALL_SECONDS;
  if (isPlain) openid.allowInsecureRequests(config);
  // The signature counts, too, and not only the connection by which the token came.
  openid.enableNonRepudiationChecks(config);
  return makeProvider(config, endpoint, redirectUri(kit));
}

function chooseAuth(secret: string | null, methods: string[] = ['client_secret_basic']): openid.ClientAuth {
  if (secret === null) return openid.None();
  return methods.includes('client_secret_basic') ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret);
}

function makeProvider(config: openid.Configuration, authorizationEndpoint: string, redirect: string): Provider {
  return {
    authorizationEndpoint,
    async makeAddress({ state, nonce, verifier }, email) {
      return openid.buildAuthorizationUrl(config, {
        redirect_uri: redirect,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(email === null ? {} : { login_hint: email }),
      }).href;
    },
    async readClaims(query, { state, nonce, verifier }) {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await explain(openid.authorizationCodeGrant(config, new URL(`${redirect}?${query}`), checks));
      const claims = tokens.claims();
      if (!claims) throw new ProviderFault('NOT_OPENID', 'The provider has sent no ID token.');
      // Some providers leave the address out of the token.
      const isThin = claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
      const more = isThin ? await explain(openid.fetchUserInfo(config, tokens.access_token, claims.sub)) : {};
      return readClaims(claims.iss, claims.sub, { ...claims, ...more });
    },
  };
}

// OpenID Connect allows no longer subject.
const LONGEST_SUBJECT = 255;
const LONGEST_NAME = 200;
const LONGEST_EMAIL = 254;
// What the schema of a user accepts, in the letters that addresses are looked up by.
const EMAIL = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-z0-9.-]+$/i;
// The database stores no NUL.
const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);

function readClaims(issuer: string, subject: string, { email, email_verified, name }: Record<string, unknown>): Claims {
  if (subject === '' || subject.length > LONGEST_SUBJECT || hasControls(subject))
    throw new ProviderFault('NOT_OPENID', 'The provider has sent a subject that is empty, too long or not valid.');
  const address = typeof email === 'string' ? email.trim() : null;
  if (address !== null && (address.length > LONGEST_EMAIL || !EMAIL.test(address)))
    throw new ProviderFault('NOT_OPENID', 'The provider has sent an e-mail address that is not valid.');
  if (typeof name === 'string' && hasControls(name))
    throw new ProviderFault('NOT_OPENID', 'The provider has sent a name that is not valid.');
  return {
    issuer,
    subject,
    email: address,
    // Some providers send it as a text.
    isVerified: email_verified === true || email_verified === 'true',
    name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, LONGEST_NAME) : null,
  };
}

/** Makes the function by which openid-client calls the provider: one attempt, to public addresses only, within time and bytes. */
function makeFetch(outbound: Outbound): openid.CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await outbound.tenant({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body === undefined || body === null
        ? {}
        : { body: body instanceof URLSearchParams ? body.toString() : readText(body) }),
      maxBytes: MAX_BYTES,
      signal: AbortSignal.any([AbortSignal.timeout(CALL_SECONDS * 1_000), ...(signal ? [signal] : [])]),
    });
    if (answer.truncated)
      throw new ProviderFault('NOT_OPENID', 'The response of the provider is too long or broke off.');
    if (!hasFewParts(answer.body))
      throw new ProviderFault('NOT_OPENID', 'The response of the provider has too many parts.');
    const { status } = answer;
    const hasBody = status !== 204 && status !== 205 && status !== 304;
    return new Response(hasBody ? new Uint8Array(answer.body) : null, { status, headers: answer.headers });
  };
}

function readText(body: unknown): string {
  if (typeof body !== 'string') throw new Error('a request to a provider has a body of an unknown kind');
  return body;
}

/** Waits for the library, and turns what it throws into words for people. */
async function explain<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw explainFault(error);
  }
}

const FAULTS = new Map<string, [ProviderReason, string]>([
  ['OAUTH_INVALID_RESPONSE', ['NOT_OPENID', 'The answer of the provider is not valid.']],
  [
    'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
    ['NOT_OPENID', 'The token of the provider is for somebody else, or has another issuer or nonce.'],
  ],
  ['OAUTH_JWT_TIMESTAMP_CHECK_FAILED', ['NOT_OPENID', 'The token of the provider has expired, or its clock is wrong.']],
  ['OAUTH_KEY_SELECTION_FAILED', ['NOT_OPENID', 'The provider has no key for the signature of its token.']],
  ['OAUTH_RESPONSE_IS_NOT_CONFORM', ['NOT_OPENID', 'The provider did not answer as OpenID Connect says.']],
  ['OAUTH_RESPONSE_IS_NOT_JSON', ['NOT_OPENID', 'The response of the provider is not JSON.']],
  ['OAUTH_PARSE_ERROR', ['NOT_OPENID', 'The response of the provider is not JSON.']],
  ['OAUTH_TIMEOUT', ['TIMEOUT', 'The provider did not answer in time.']],
  [
    'OAUTH_UNSUPPORTED_OPERATION',
    ['NOT_OPENID', 'The token of the provider is not signed in a way that is supported.'],
  ],
  ['OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED', ['OTHER_ISSUER', 'The provider says that it has another issuer.']],
]);

const CALL_FAULTS: Record<OutboundErrorKind, ProviderReason> = {
  BLOCKED: 'NOT_ALLOWED',
  DNS: 'UNREACHABLE',
  CONNECT: 'UNREACHABLE',
  TLS: 'TLS',
  TIMEOUT: 'TIMEOUT',
  SOCKET: 'UNREACHABLE',
  BODY: 'UNREACHABLE',
  TOO_LARGE: 'NOT_OPENID',
};

function explainFault(cause: unknown): ProviderFault {
  for (let at: unknown = cause; at instanceof Error; at = at.cause) {
    if (at instanceof ProviderFault) return at;
    if (at instanceof OutboundError) return new ProviderFault(CALL_FAULTS[at.kind], at.message, { cause });
    if (at instanceof openid.AuthorizationResponseError || at instanceof openid.ResponseBodyError)
      return new ProviderFault('NOT_OPENID', `The provider refused: ${at.error.slice(0, 100)}.`, { cause });
    const [reason, words] = FAULTS.get((at as Error & { code?: string }).code ?? '') ?? [];
    if (reason && words) return new ProviderFault(reason, words, { cause });
  }
  return new ProviderFault('NOT_OPENID', 'The provider did not answer as OpenID Connect says.', { cause });
}
