/** The permission of the browser to show notices, for all parts of the console that ask for it or depend on it. */
import { createStore, useStore } from '../store.ts';

/** MISSING: the browser shows no notices. */
type Permission = NotificationPermission | 'MISSING';

const read = (): Permission => ('Notification' in window ? Notification.permission : 'MISSING');
const permission = createStore<Permission>(read());

export const usePermission = (): Permission => useStore(permission);

/** Reads it each time, because the user can change it in the settings of the browser. */
export const mayNotify = (): boolean => read() === 'granted';

/** Asks for it. Call it when the user asks for it, and never otherwise. A user who closes the question can be asked again. */
export async function askPermission(): Promise<Permission> {
  if ('Notification' in window) permission.set(await Notification.requestPermission());
  return permission.get();
}
