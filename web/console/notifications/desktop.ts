/** Shows notifications of the user on the desktop: once for all tabs, and not while the conversation is in view in one of them. */
import type { Notification } from '@parley/sdk';
import { navigate } from 'wouter/use-browser-location';
import { openChannel } from '../../browser/tabs.ts';
import { CONSOLE_PATH } from '../client.ts';
import { mayNotify, NEW_MS, readNoticeSettings } from '../notices/notices.ts';
import { isWantedInBrowser } from '../records/notifications.ts';
import { describeNotification, findAddress } from './describe.ts';

/** A tab that shows the conversation says so within this time. */
const IN_VIEW_MS = 1_000;
const MOST_SEEN = 100;

/** When notifications were last raised that are in view in a tab, or read. */
const seen = new Map<string, string>();
const tabs = openChannel('parley-seen');
tabs?.addEventListener('message', ({ data: [id, raised] }: MessageEvent<[id: string, raised: string]>) =>
  noteSeen(id, raised),
);

function noteSeen(id: string, raised: string): void {
  seen.set(id, raised);
  const [oldest] = seen.keys();
  if (seen.size > MOST_SEEN && oldest !== undefined) seen.delete(oldest);
}

const isInView = ({ conversation }: Notification): boolean =>
  conversation !== null && document.visibilityState === 'visible' && location.pathname.endsWith(`/${conversation}`);

/** `leads`: this tab shows it for all tabs. */
export function noticeNotification(notification: Notification, leads: boolean): void {
  const { _id, kind, read_at, createdAt } = notification;
  if (read_at !== null || isInView(notification)) {
    noteSeen(_id, createdAt);
    // A BroadcastChannel reaches pages of the same origin only.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    tabs?.postMessage([_id, createdAt]);
  }
  if (!leads || read_at !== null || Date.now() - Date.parse(createdAt) > NEW_MS || !mayNotify()) return;
  // The user already gets a desktop notice of every message.
  if (kind === 'REPLIED' && readNoticeSettings().desktop) return;
  setTimeout(() => {
    if (seen.get(_id) === createdAt) return;
    // Failure policy: the notification is in the list of the bell in any case.
    isWantedInBrowser(kind).then(
      (isWanted) => isWanted && show(notification),
      () => undefined,
    );
  }, IN_VIEW_MS);
}

function show(notification: Notification): void {
  const notice = new window.Notification(describeNotification(notification), {
    body: notification.preview ?? '',
    tag: notification._id,
  });
  notice.addEventListener('click', () => {
    window.focus();
    navigate(`${CONSOLE_PATH}${findAddress(notification)}`);
  });
}
