/** Who works in this browser. */
import { isParleyError, type BrowserLogin, type Me, type User } from '@parley/sdk';
import { parley } from '../client.ts';
import { createStore, useStore } from '../store.ts';
import { preferLanguage } from '../texts/language.ts';

export interface Session {
  user: User;
  company: string;
  scopes: readonly string[];
  /** Whether the user sees only some of the inboxes. */
  seesSome: boolean;
  /** The address of the sandbox, while it runs beside the platform. */
  sandbox: string | null;
  /** The company requires a second factor that the user has not set up: until then the platform refuses everything else. */
  lacksSecondFactor: boolean;
}

/** UNKNOWN until the platform has said who is logged in; OUT when nobody is. */
type State = Session | 'UNKNOWN' | 'OUT' | 'UNREACHABLE';

const state = createStore<State>('UNKNOWN');

export const useSessionState = (): State => useStore(state);

/** The session inside of the frame, which is shown only to somebody who is logged in. */
export function useSession(): Session {
  const session = useStore(state);
  if (typeof session === 'string') throw new Error('Nobody is logged in');
  return session;
}

/** Calls `run` each time the session has ended, so that the next person in this page does not see what the one before has read. */
export const whenLoggedOut = (run: () => void): (() => void) => state.follow(() => state.get() === 'OUT' && run());

/** The id of the user who is logged in; null while no one is. */
export function findOwnId(): string | null {
  const current = state.get();
  return typeof current === 'string' ? null : current.user._id;
}

export const isLoggedIn = (): boolean => typeof state.get() !== 'string';

/** Whether the user may do this: a scope such as `contacts:update`, or null for what everybody may do. */
export function useMay(scope: string | null): boolean {
  return holdsScope(useSession().scopes, scope);
}

export const holdsScope = (scopes: readonly string[], scope: string | null): boolean =>
  scope === null || scopes.some((held) => held === '*' || held === scope || held === `${scope.split(':')[0]}:*`);

const toState = ({ user, company, scopes, inboxes, sandbox_url, lacks_second_factor: lacks = false }: Me): State =>
  user && company !== null
    ? {
        user,
        company,
        scopes,
        seesSome: (inboxes ?? null) !== null,
        sandbox: sandbox_url ?? null,
        lacksSecondFactor: lacks,
      }
    : 'OUT';

/** Asks the platform who is logged in. */
export async function readSession(): Promise<void> {
  try {
    const next = toState(await parley.auth.me());
    if (typeof next !== 'string') preferLanguage(next.user.language);
    state.set(next);
  } catch (error) {
    // Failure policy: a refusal means that nobody is logged in. After anything else, a session that is known stays, and a page without one
    // offers to try again.
    if (isRefusal(error)) state.set('OUT');
    else if (!isLoggedIn()) state.set('UNREACHABLE');
  }
}

const isRefusal = (error: unknown): boolean => isParleyError(error) && (error.status === 401 || error.status === 403);

/** Asks again what the user may do and sees, which administrators can change. */
export async function rereadSession(): Promise<void> {
  try {
    const next = toState(await parley.auth.me());
    if (isLoggedIn()) state.set(next);
  } catch {
    // Failure policy: the session stays as it was. If it has ended, the next call of a screen shows that.
  }
}

export async function logIn(given: BrowserLogin): Promise<void> {
  await parley.auth.openSession(given);
  await readSession();
}

export async function logOut(): Promise<void> {
  await parley.auth.closeSession();
  state.set('OUT');
}

/** Shows the log-in form after the platform has refused the session. Drafts and unsent messages stay in the browser. */
export const endSession = (): void => state.set('OUT');

/** Shows a change of the user's own record. */
export function showOwnRecord(user: User): void {
  const current = state.get();
  if (typeof current !== 'string' && current.user._id === user._id) state.set({ ...current, user });
}
