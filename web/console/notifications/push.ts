/** The push to this browser: whether it is on, and turning it on and off. */
import type { User } from '@parley/sdk';
import { navigate } from 'wouter/use-browser-location';
import { CONSOLE_PATH, parley } from '../client.ts';
import { askPermission, mayNotify, usePermission } from '../notices/permission.ts';
import { queries } from '../records/queries.ts';
import { createStore, keep, readKept, useStore } from '../store.ts';

/** UNKNOWN until the browser has been asked · MISSING: it has no push */
type PushState = 'UNKNOWN' | 'MISSING' | 'OFF' | 'ON';

export const BROWSERS = ['push-subscriptions'] as const;
/** Whose notifications are pushed to this browser, and the id of its registration. */
const KEPT_AS = 'parley.push';
const SCRIPT = 'service-worker.js';

const state = createStore<PushState>('UNKNOWN');

/** BLOCKED: push is off, and the browser may not show notifications. */
export function usePushState(): PushState | 'BLOCKED' {
  const own = useStore(state);
  const permission = usePermission();
  return own === 'OFF' && permission === 'denied' ? 'BLOCKED' : own;
}

export const isPushOn = (): boolean => state.get() === 'ON';

const canPush = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

function readOwn(): { user: string; id: string } | null {
  const [user, id] = readKept(KEPT_AS)?.split(' ') ?? [];
  return user && id ? { user, id } : null;
}

/** The id of this browser among those of the user. */
export const findOwnBrowser = (): string | null => (state.get() === 'ON' ? (readOwn()?.id ?? null) : null);

type Owner = Pick<User, 'company' | '_id'>;
const toKey = (user: Owner): string => `${user.company}/${user._id}`;

/**
 * Registers a browser again in which the user has turned push on, because the push ends with the session that registered it. What is left of
 * another user, or of another company, is ended.
 */
export async function resumePush(user: Owner): Promise<void> {
  if (!canPush()) return state.set('MISSING');
  const own = readOwn();
  try {
    if (own?.user === toKey(user) && mayNotify()) return await register(user);
    if (own) await forget();
  } catch {
    // Failure policy: the next time that the console is opened, it tries again.
  }
  state.set('OFF');
}

/** Asks for the permission and registers the browser. Call it when the user asks for it. */
export async function turnPushOn(user: Owner): Promise<void> {
  if ((await askPermission()) !== 'granted') return state.set('OFF');
  await register(user);
}

async function register(user: Owner): Promise<void> {
  await navigator.serviceWorker.register(SCRIPT);
  const { pushManager } = await navigator.serviceWorker.ready;
  const { public_key } = await parley.pushSubscriptions.getKey();
  const options = { userVisibleOnly: true, applicationServerKey: public_key };
  const subscribe = (): Promise<PushSubscription> => pushManager.subscribe(options);
  // Failure policy: a subscription with the key of another installation, which was here before, is in the way; it is ended.
  const subscription = await subscribe().catch(async () => {
    await (await pushManager.getSubscription())?.unsubscribe();
    return subscribe();
  });
  const { endpoint, keys } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys ?? {};
  const { _id } = await parley.pushSubscriptions.register({ endpoint: endpoint ?? '', keys: { p256dh, auth } });
  keep(KEPT_AS, `${toKey(user)} ${_id}`);
  state.set('ON');
  void queries.invalidateQueries({ queryKey: BROWSERS });
}

export async function turnPushOff(): Promise<void> {
  const own = readOwn();
  // Failure policy: a browser that is registered no longer needs no removal, and the push service tells the platform of the others.
  if (own) await parley.pushSubscriptions.delete(own.id).catch(() => undefined);
  await forget();
  state.set('OFF');
  void queries.invalidateQueries({ queryKey: BROWSERS });
}

/** Ends the browser's own subscription, so that nothing of this user can be shown here. */
async function forget(): Promise<void> {
  keep(KEPT_AS, null);
  const registration = await navigator.serviceWorker?.getRegistration(SCRIPT);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** Opens the conversation of a notification that was clicked while the console is open. */
export function followClicks(signal: AbortSignal): void {
  if (!('serviceWorker' in navigator)) return;
  const go = ({ data }: MessageEvent<{ open?: unknown }>): void => {
    if (typeof data?.open === 'string' && data.open.startsWith('/inbox/')) navigate(`${CONSOLE_PATH}${data.open}`);
  };
  navigator.serviceWorker.addEventListener('message', go as EventListener, { signal });
}
