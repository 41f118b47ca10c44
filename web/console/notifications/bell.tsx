/** The bell of the navigation: how many notifications are unread, and their list. */
import { Popover } from '@base-ui/react/popover';
import { Suspense, useEffect, useState, type ReactElement } from 'react';
import { useRoute } from 'wouter';
import navigation from '../frame/frame.module.css';
import { markNotificationsAsRead, useUnread, useUnreadNotifications } from '../records/notifications.ts';
import { useTexts } from '../texts/texts.ts';
import { Icon } from '../ui/icon.tsx';
import { lazyPart, LoadingPart } from '../ui/lazy-part.tsx';
import { UnreadBadge } from '../ui/unread-badge.tsx';
import styles from './bell.module.css';
import { NOTIFICATIONS } from './texts.ts';

const BellContent = lazyPart(async () => (await import('./bell-content.tsx')).BellContent);

export function Bell(): ReactElement {
  const texts = useTexts(NOTIFICATIONS);
  const unread = useUnreadNotifications();
  const [isOpen, open] = useState(false);
  useReadingInView();
  return (
    <Popover.Root open={isOpen} onOpenChange={open}>
      <Popover.Trigger className={navigation['link']} data-group="notifications" data-daily>
        <Icon name="bell" size={20} />
        <span className={navigation['name']}>{texts.title}</span>
        <span className={navigation['unread']}>
          <UnreadBadge count={unread} />
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={styles['positioner']} side="right" align="end" sideOffset={8}>
          <Popover.Popup className={styles['popup']}>
            <Suspense fallback={<LoadingPart />}>
              <BellContent onClose={() => open(false)} />
            </Suspense>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Marks as read what notifies of the conversation that is in view, also when its messages were read before. */
function useReadingInView(): void {
  const [, params] = useRoute('/inbox/:view/:conversation');
  const { items } = useUnread();
  const inView = items.filter(({ conversation }) => conversation !== null && conversation === params?.conversation);
  const ids = inView.map(({ _id }) => _id).join(' ');
  useEffect(() => {
    if (ids === '') return undefined;
    const read = (): void => {
      // Failure policy: what could not be marked stays unread until the user opens the conversation again.
      if (document.visibilityState === 'visible') markNotificationsAsRead(ids.split(' ')).catch(() => undefined);
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [ids]);
}
