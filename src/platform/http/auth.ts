/**
 * Turns a bearer token or a browser's session into a principal. tokens.ts checks whether the platform issued the token; the database decides whether it is still
 * valid. The result is cached for one second, so that a revocation takes effect in every process well within five.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../values/errors.ts';
import { limitToApp, ROLE_SCOPES, USER_ROLES, type AppAccess, type UserRole } from '../values/scopes.ts';
import { isOwnShortKey, isShortKey } from './short-keys.ts';
import {
  createKeyring,
  verifyToken,
  type AppClaims,
  type KeyClaims,
  type TokenSecrets,
  type UserClaims,
} from './tokens.ts';

interface KeyPrincipal {
  id: string;
  scopes: readonly string[];
  name: string;
  /** The end of the validity in ISO 8601; null for a key that never expires. A key that this key creates must not expire later. */
  expiresAt: string | null;
}

export type Principal =
  | ({ type: 'company'; companyId: string } & KeyPrincipal)
  | ({ type: 'global' } & KeyPrincipal)
  | {
      type: 'user';
      id: string;
      companyId: string;
      scopes: readonly string[];
      role: UserRole;
      name: string;
      /** The inboxes that the user sees; null for all. */
      inboxes: readonly string[] | null;
      /** The company requires a second factor that the user has not set up yet: until then the user can do nothing else. */
      lacksSecondFactor?: true;
      /** What the app may do that acts for the user; absent when the users themselves act. */
      app?: AppAccess;
    };

export interface StoredKey {
  _id: string;
  company: string | null;
  type: 'company' | 'global';
  name: string;
  scopes: string[];
  expires_at: string | null;
}

/** A session of a browser, with the user to whom it belongs. */
export interface StoredSession extends StoredUser {
  expires_at: string;
}

/** How a caller shows who they are. A session counts only where there is no authorization header. */
export interface Credentials {
  authorization: string | undefined;
  /** The token of the browser's session. */
  session: string | null;
  /** Returns whether the token of a connected app counts here that is for this address; without it none counts. */
  admitsApps?: ((audience: string) => boolean) | undefined;
}

/** A connected app, with the user for whom it acts. */
export interface StoredApp extends StoredUser {
  app: string;
  access: AppAccess;
}

export interface StoredUser {
  _id: string;
  company: string;
  name: string;
  role: UserRole;
  session_version: number;
  /** The company requires a second factor, and the user has none. */
  lacks_second_factor: boolean;
  /** The inboxes that the user sees; null for all. */
  inboxes: string[] | null;
}

/** Looks up valid keys and users. src/boot/access.ts connects it with the features that store them. */
export interface PrincipalSource {
  findKey(tokenHash: Buffer): Promise<StoredKey | null>;
  findUser(companyId: string, userId: string): Promise<StoredUser | null>;
  findSession(tokenHash: Buffer): Promise<StoredSession | null>;
  findApp(companyId: string, appId: string): Promise<StoredApp | null>;
  /** Called when a valid key is used, at most once a minute for each key and process. No request waits for the result. */
  noteUse?(key: StoredKey): Promise<unknown>;
  /** Called when a connected app is used, at most once a minute for each app and process. */
  noteAppUse?(app: StoredApp): Promise<unknown>;
  /** Called when a session is used, at most once a minute for each session and process. */
  renewSession?(session: StoredSession, tokenHash: Buffer): Promise<unknown>;
}

const REMEMBER_MS = 1_000;
// The pause between two updates of the last use of a key or session, which is exact enough to the minute.
const NOTE_MS = 60_000;
// The number of remembered tokens and keys, some 5 MB of them. When there are more, all are forgotten.
const REMEMBERED_MAX = 10_000;

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface Authenticator {
  /** Returns the principal of a valid token or session; throws UNAUTHORIZED for any other text. */
  authenticate(credentials: Credentials): Promise<Principal>;
  /** Empties the cache, so that a revocation takes effect in this process at once. */
  forget(): void;
}

interface FoundPrincipal {
  principal: Principal;
  /** The time at which the token expires, in milliseconds since 1970. */
  diesAt: number;
  /** The address for which the token of a connected app is. */
  audience?: string;
}

interface RememberedPrincipal extends FoundPrincipal {
  /**
   * The time at which the cached entry expires, by performance.now(): if the entry used the wall clock and the clock was set back, it would
   * keep a revoked key valid.
   */
  until: number;
}

interface PrincipalMemory {
  found: Map<string, RememberedPrincipal>;
  running: Map<string, Promise<FoundPrincipal>>;
}

const createMemory = (): PrincipalMemory => ({ found: new Map(), running: new Map() });

export function createAuthenticator(secrets: TokenSecrets, source: PrincipalSource): Authenticator {
  const keyring = createKeyring(secrets);
  const noteUse = createUseRecorder();
  let remembered = createMemory();

  async function find({ kind, token }: Shown): Promise<FoundPrincipal> {
    if (kind === 'session') return findSessionPrincipal(token, source, noteUse);
    if (isShortKey(token)) return findKeyPrincipal(token, isOwnShortKey(token, keyring) ? 'short' : null);
    const claims = await verifyToken(token, keyring);
    if (claims?.type === 'app') return findAppPrincipal(claims, source, noteUse);
    return claims?.type === 'user' ? findUserPrincipal(claims, source) : findKeyPrincipal(token, claims);
  }

  async function findKeyPrincipal(token: string, claims: KeyClaims | 'short' | null): Promise<FoundPrincipal> {
    const key = claims && (await source.findKey(hashToken(token)));
    if (!key || (claims !== 'short' && !matchesClaims(key, claims))) throw makeUnauthorizedError();
    const found = toKeyPrincipal(key, claims === 'short' ? undefined : claims.exp);
    if (found.diesAt <= Date.now()) throw makeUnauthorizedError();
    noteUse(key._id, () => source.noteUse?.(key));
    return found;
  }

  /**
   * Looks up a token and stores the result in the cache that was current when the look-up began. If forget() replaced the cache meanwhile,
   * the result is not kept.
   */
  async function findAndRemember(
    shown: Shown,
    { found, running }: PrincipalMemory,
    now: number,
  ): Promise<FoundPrincipal> {
    try {
      const looked = await find(shown);
      if (found.size >= REMEMBERED_MAX) found.clear();
      found.set(shown.token, { ...looked, until: now + REMEMBER_MS });
      return looked;
    } finally {
      running.delete(shown.token);
    }
  }

  return {
    async authenticate(credentials) {
      const shown = readCredentials(credentials);
      if (!shown) throw makeUnauthorizedError();
      const { token } = shown;
      const now = performance.now();
      const hit = remembered.found.get(token);
      if (hit && hit.until > now && hit.diesAt > Date.now()) return admitPrincipal(hit, credentials);
      // Requests with the same token at the same moment share one look-up.
      const { running } = remembered;
      const lookUp = running.get(token) ?? findAndRemember(shown, remembered, now);
      running.set(token, lookUp);
      return admitPrincipal(await lookUp, credentials);
    },
    forget: () => void (remembered = createMemory()),
  };
}

/** The token of a connected app counts only at the address for which it is. */
function admitPrincipal({ principal, audience }: FoundPrincipal, { admitsApps }: Credentials): Principal {
  if (audience !== undefined && !admitsApps?.(audience)) throw makeUnauthorizedError();
  return principal;
}

/** What a caller shows. No token of a session is also a bearer token, because those contain dots or begin with `pk_`. */
interface Shown {
  kind: 'bearer' | 'session';
  token: string;
}

function readCredentials({ authorization, session }: Credentials): Shown | null {
  if (authorization === undefined) return session === null ? null : { kind: 'session', token: session };
  const token = /^Bearer ([\w-]+\.[\w.-]+|pk_[\w-]+)$/i.exec(authorization)?.[1];
  return token === undefined ? null : { kind: 'bearer', token };
}

/** Whoever has no valid token is answered in the same words, so that nobody learns from them what is wrong with a forged one. */
const NO_TOKEN = 'The token is missing, invalid or expired: send a valid one as authorization: Bearer <token>';

function makeUnauthorizedError(): AppError {
  return new AppError('UNAUTHORIZED', NO_TOKEN, [], { 'www-authenticate': 'Bearer' });
}

const matchesClaims = (key: StoredKey, claims: KeyClaims): boolean =>
  key._id === claims.sub &&
  key.type === claims.type &&
  key.company === (claims.type === 'company' ? claims.company : null);

/** Makes the principal of a key. Its scopes come from the stored record, not from the token. */
function toKeyPrincipal(key: StoredKey, exp: number | undefined): FoundPrincipal {
  const shared = { id: key._id, scopes: key.scopes, name: key.name, expiresAt: key.expires_at };
  return {
    principal:
      key.company === null ? { type: 'global', ...shared } : { type: 'company', companyId: key.company, ...shared },
    diesAt: Math.min(
      key.expires_at === null ? Infinity : Date.parse(key.expires_at),
      exp === undefined ? Infinity : exp * 1_000,
    ),
  };
}

async function findUserPrincipal(
  { sub, company, sv, exp }: UserClaims,
  source: PrincipalSource,
): Promise<FoundPrincipal> {
  const user = await source.findUser(company, sub);
  if (!user || user.session_version !== sv || !USER_ROLES.includes(user.role)) throw makeUnauthorizedError();
  return { principal: toUserPrincipal(user), diesAt: exp * 1_000 };
}

async function findSessionPrincipal(
  token: string,
  source: PrincipalSource,
  noteUse: UseRecorder,
): Promise<FoundPrincipal> {
  const hash = hashToken(token);
  const session = await source.findSession(hash);
  if (!session) throw makeUnauthorizedError();
  noteUse(hash.toString('base64url'), () => source.renewSession?.(session, hash));
  return { principal: toUserPrincipal(session), diesAt: Date.parse(session.expires_at) };
}

async function findAppPrincipal(
  { use, sub, company, app: id, aud, exp }: AppClaims,
  source: PrincipalSource,
  noteUse: UseRecorder,
): Promise<FoundPrincipal> {
  const app = use === 'ACCESS' ? await source.findApp(company, id) : null;
  if (!app || app._id !== sub) throw makeUnauthorizedError();
  noteUse(app.app, () => source.noteAppUse?.(app));
  const user = toUserPrincipal(app);
  const scopes = limitToApp(user.scopes, app.access);
  return { principal: { ...user, scopes, app: app.access }, diesAt: exp * 1_000, audience: aud };
}

/**
 * Makes the principal of a user. The scopes come from the stored role, so that a changed role takes effect at once. A user who lacks the
 * second factor that the company requires has none.
 */
function toUserPrincipal(user: StoredUser): Extract<Principal, { type: 'user' }> {
  const { _id, company, role, name, inboxes, lacks_second_factor: lacks } = user;
  const principal = { type: 'user', id: _id, companyId: company, role, name, inboxes } as const;
  return lacks ? { ...principal, scopes: [], lacksSecondFactor: true } : { ...principal, scopes: ROLE_SCOPES[role] };
}

/** Runs `note` at most once a minute for each id. */
type UseRecorder = (id: string, note: () => Promise<unknown> | undefined) => void;

function createUseRecorder(): UseRecorder {
  const noted = new Map<string, number>();
  return (id, note) => {
    const now = performance.now();
    if (now - (noted.get(id) ?? -Infinity) < NOTE_MS) return;
    if (noted.size >= REMEMBERED_MAX) noted.clear();
    noted.set(id, now);
    // Failure policy: a failure to store the last use is no reason to refuse a request. The next use after a minute stores it.
    note()?.catch(() => undefined);
  };
}
