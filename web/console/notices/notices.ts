/** Tells of new messages: by the unread count in the title, a notice of the desktop, and a sound. */
import type { Conversation, Message } from '@parley/sdk';
import type { Feed } from '../records/feeds.ts';
import { queries } from '../records/queries.ts';
import { createStore, keep, readKept, useStore } from '../store.ts';
import { getTexts } from '../texts/texts.ts';
import { showUnreadInTitle } from '../ui/title.ts';
import { playSound } from '../../browser/sound.ts';
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

export const useNoticeSettings = (): NoticeSettings => useStore(settings);

export function chooseNotices(chosen: NoticeSettings): void {
  keep(KEPT_AS, [chosen.desktop ? 'desktop' : '', chosen.sound ? 'sound' : ''].join(' ').trim());
  settings.set(chosen);
}

/** A message that is older was brought by a connection that was made again, not written just now. */
const NEW_MS = 60_000;

export function noticeMessage(message: Message): void {
  showUnread();
  const isNew = Date.now() - Date.parse(message.createdAt) < NEW_MS;
  if (message.message_type !== 'INCOMING' || message.status !== 'RECEIVED' || !isNew || document.hasFocus()) return;
  const { desktop, sound } = settings.get();
  if (sound) playSound();
  if (!desktop || !('Notification' in window) || Notification.permission !== 'granted') return;
  // With the message's id as its tag, several tabs show one notice.
  const notice = new Notification(getTexts(NOTICES).title, { body: message.content ?? '', tag: message._id });
  notice.addEventListener('click', () => window.focus());
}

/** Counts the conversations with something unread among those that the page has loaded. */
function showUnread(): void {
  const unread = new Set<string>();
  for (const [, feed] of queries.getQueriesData<Feed<Conversation>>({ queryKey: ['conversations'] })) {
    for (const { _id, unread_count } of feed?.items ?? []) if (unread_count > 0) unread.add(_id);
  }
  showUnreadInTitle(unread.size);
}

// A page changes its title at once also when somebody reads here or elsewhere.
queries.getQueryCache().subscribe(({ query, type }) => {
  if (type === 'updated' && query.queryKey[0] === 'conversations') showUnread();
});
