/** Tells of new messages: by the unread count in the title, a notice of the desktop, and a sound. */
import { toPreview } from '../ui/marks.ts';
import type { Message } from '@parley/sdk';
import { useEffect } from 'react';
import { useUnreadNotifications } from '../records/notifications.ts';
import { createStore, keep, readKept, useStore } from '../store.ts';
import { getTexts } from '../texts/texts.ts';
import { showUnreadInTitle } from '../ui/title.ts';
import { playSound } from '../../browser/sound.ts';
import { mayNotify } from './permission.ts';
import { NOTICES } from './texts.ts';

interface NoticeSettings {
  desktop: boolean;
  sound: boolean;
}

const KEPT_AS = 'parley.notices';

function readSettings(): NoticeSettings {
  const kept = readKept(KEPT_AS)?.split(' ') ?? [];
  return { desktop: kept.includes('desktop'), sound: kept.includes('sound') };
}

const settings = createStore(readSettings());

export const readNoticeSettings = (): NoticeSettings => settings.get();
export const useNoticeSettings = (): NoticeSettings => useStore(settings);

export function chooseNotices(chosen: NoticeSettings): void {
  keep(KEPT_AS, [chosen.desktop ? 'desktop' : '', chosen.sound ? 'sound' : ''].join(' ').trim());
  settings.set(chosen);
}

/** A message that was stored before was brought by a connection that was made again. */
export const NEW_MS = 60_000;
/** An id begins with the seconds at which its record was stored. `createdAt` is earlier where the network was late. */
const storedAt = ({ _id }: Message): number => Number.parseInt(_id.slice(0, 8), 16) * 1000;

/** `leads`: this tab shows the notice for all tabs. */
export function noticeMessage(message: Message, leads: boolean): void {
  const isNew = Date.now() - storedAt(message) < NEW_MS;
  if (message.message_type !== 'INCOMING' || message.status !== 'RECEIVED' || !isNew || document.hasFocus()) return;
  const { desktop, sound } = settings.get();
  if (sound) playSound();
  if (!leads || !desktop || !mayNotify()) return;
  const options: NotificationOptions & { renotify: boolean } = {
    body: toPreview(message.content ?? '', message.channel),
    // A push about the same replies has this tag, too, so that one notice takes the place of the other.
    tag: message.conversation,
    renotify: true,
  };
  const notice = new Notification(getTexts(NOTICES).title, options);
  notice.addEventListener('click', () => window.focus());
}

/** Counts in the title what the user is notified of and has not read. */
export function useUnreadInTitle(): void {
  const unread = useUnreadNotifications();
  useEffect(() => showUnreadInTitle(unread), [unread]);
}
