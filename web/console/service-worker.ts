/**
 * Shows what is pushed to this browser while no page of the console is in view, and opens its conversation. It loads no pages: the console needs
 * the platform anyway.
 */
import { findLanguage } from '../browser/texts.ts';
import { describe, findAddress, findTag, type Described } from './notifications/describe.ts';
import { NOTIFICATIONS } from './notifications/texts.ts';

/** What the platform pushes. */
interface Pushed extends Described {
  _id: string;
  preview: string | null;
  /** The language of the user's record. */
  language: string;
}

// The types of pages do not know service workers.
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface PushEvent extends WorkerEvent {
  data: { json(): unknown } | null;
}
interface ClickEvent extends WorkerEvent {
  notification: Notification;
}
interface Page {
  url: string;
  visibilityState: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}
interface Worker {
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<Page[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void;
  addEventListener(type: 'install', listener: () => void): void;
}

const worker = globalThis as unknown as Worker;

/** Lists the pages of the console, the last used first. The origin has other pages, too. */
async function listPages(): Promise<Page[]> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  return pages.filter(({ url }) => url.startsWith(worker.registration.scope));
}

async function show(pushed: Pushed): Promise<void> {
  // A page that is in view shows it by itself, if the user wants that.
  if ((await listPages()).some(({ visibilityState }) => visibilityState === 'visible')) return;
  const language = findLanguage([...navigator.languages, pushed.language]) ?? 'en';
  await worker.registration.showNotification(describe(NOTIFICATIONS[language], pushed), {
    body: pushed.preview ?? '',
    tag: findTag(pushed),
    icon: 'icon-192.png',
    data: findAddress(pushed),
  });
}

async function open(address: string): Promise<void> {
  const [page] = await listPages();
  if (!page) return void (await worker.clients.openWindow(worker.registration.scope.replace(/\/$/, '') + address));
  // A page of the platform's own origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  page.postMessage({ open: address });
  await page.focus();
}

worker.addEventListener('install', () => void worker.skipWaiting());
worker.addEventListener('push', (event) => {
  const pushed = event.data?.json() as Pushed | undefined;
  if (pushed) event.waitUntil(show(pushed));
});
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(String(event.notification.data)));
});
