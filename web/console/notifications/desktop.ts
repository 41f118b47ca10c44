/**
 * Shows notifications of the user on the desktop: once for all tabs, and not while the conversation is in view in one of them. While no tab is in
 * view, the service worker shows those that are pushed to this browser.
 */
import type { Notification } from '@parley/sdk';
import { navigate } from 'wouter/use-browser-location';
import { openChannel } from '../../browser/tabs.ts';
import { CONSOLE_PATH } from '../client.ts';
import { NEW_MS, readNoticeSettings } from '../notices/notices.ts';
import { mayNotify } from '../notices/permission.ts';
import { findChoice } from '../records/notifications.ts';
import { getTexts } from '../texts/texts.ts';
import { describe, findAddress, findTag, toDescribed } from './describe.ts';
import { isPushOn } from './push.ts';
import { NOTIFICATIONS } from './texts.ts';

/** A tab that shows the conversation, or that is in view, says so within this time. */
const IN_VIEW_MS = 1_000;
const MOST_SEEN = 100;

/** SEEN: it is read, or its conversation is in view · AWAKE: a tab is in view, but not the conversation */
type Sight = 'SEEN' | 'AWAKE';
/** What tabs have said of notifications, with the time at which they were last raised. */
const sights = new Map<string, Sight>();
const tabs = openChannel('parley-seen');
tabs?.addEventListener('message', ({ data: [key, sight] }: MessageEvent<[key: string, sight: Sight]>) =>
  noteSight(key, sight),
);

const toKey = ({ _id, createdAt }: Notification): string => `${_id} ${createdAt}`;

function noteSight(key: string, sight: Sight): void {
  if (sights.get(key) !== 'SEEN') sights.set(key, sight);
  const [oldest] = sights.keys();
  if (sights.size > MOST_SEEN && oldest !== undefined) sights.delete(oldest);
}

const isInView = ({ conversation }: Notification): boolean =>
  conversation !== null && location.pathname.endsWith(`/${conversation}`);

function findSight(notification: Notification): Sight | null {
  if (notification.read_at !== null) return 'SEEN';
  if (document.visibilityState !== 'visible') return null;
  return isInView(notification) ? 'SEEN' : 'AWAKE';
}

/** `leads`: this tab shows it for all tabs. */
export function noticeNotification(notification: Notification, leads: boolean): void {
  const { kind, read_at, createdAt } = notification;
  const key = toKey(notification);
  const sight = findSight(notification);
  if (sight) {
    noteSight(key, sight);
    // A BroadcastChannel reaches pages of the same origin only.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    tabs?.postMessage([key, sight]);
  }
  if (!leads || read_at !== null || Date.now() - Date.parse(createdAt) > NEW_MS || !mayNotify()) return;
  // The user already gets a desktop notice of every message.
  if (kind === 'REPLIED' && readNoticeSettings().desktop) return;
  setTimeout(() => {
    if (sights.get(key) === 'SEEN') return;
    const isShownByPush = isPushOn() && !sights.has(key);
    // Failure policy: the notification is in the list of the bell in any case.
    findChoice(kind).then(
      ({ browser, push }) => browser && !(push && isShownByPush) && show(notification),
      () => undefined,
    );
  }, IN_VIEW_MS);
}

function show(notification: Notification): void {
  const notice = new window.Notification(describe(getTexts(NOTIFICATIONS), toDescribed(notification)), {
    body: notification.preview ?? '',
    tag: findTag(notification),
  });
  notice.addEventListener('click', () => {
    window.focus();
    navigate(`${CONSOLE_PATH}${findAddress(notification)}`);
  });
}
