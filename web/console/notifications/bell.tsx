/** The bell of the navigation: how many notifications are unread, and their list. */
import { Popover } from '@base-ui/react/popover';
import type { Notification } from '@parley/sdk';
import { useEffect, useState, type ReactElement } from 'react';
import { Link, useRoute } from 'wouter';
import navigation from '../frame/frame.module.css';
import { markNotificationsAsRead, useNotifications, useUnreadNotifications } from '../records/notifications.ts';
import { formatShort } from '../texts/formats.ts';
import { useTexts } from '../texts/texts.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { CheckField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty, Failure, Loading } from '../ui/state.tsx';
import { COMMON } from '../ui/texts.ts';
import { showError } from '../ui/toast.tsx';
import { UnreadBadge } from '../ui/unread-badge.tsx';
import styles from './bell.module.css';
import { describeNotification, findAddress } from './describe.ts';
import { NOTIFICATIONS } from './texts.ts';

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
            <List onClose={() => open(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Marks as read what notifies of the conversation that is in view, also when its messages were read before. */
function useReadingInView(): void {
  const [, params] = useRoute('/inbox/:view/:conversation');
  const { items } = useNotifications({ unread: true });
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

function List({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(NOTIFICATIONS);
  const common = useTexts(COMMON);
  const unread = useUnreadNotifications();
  const [isUnreadOnly, chooseUnreadOnly] = useState(false);
  const feed = useNotifications({ unread: isUnreadOnly });
  return (
    <>
      <header className={styles['head']}>
        <Popover.Title className={styles['title']}>{texts.title}</Popover.Title>
        {unread > 0 && (
          <Button kind="quiet" onClick={() => void markNotificationsAsRead(null).catch(showError)}>
            {texts.markAll}
          </Button>
        )}
        <Link href="/profile" className={styles['settings']} onClick={onClose} aria-label={texts.settings}>
          <Icon name="settings" />
        </Link>
        <span className={styles['close']}>
          <IconButton icon="close" label={common.close} onClick={onClose} />
        </span>
      </header>
      <div className={styles['filter']}>
        <CheckField label={texts.unreadOnly} checked={isUnreadOnly} onChange={chooseUnreadOnly} />
      </div>
      {feed.isLoading && <Loading />}
      {feed.error && <Failure error={feed.error} onRetry={feed.reread} />}
      {!feed.isLoading && !feed.error && feed.items.length === 0 && (
        <Empty icon="bell" title={texts.nothing}>
          {texts.nothingLead}
        </Empty>
      )}
      <ul className={styles['list']} aria-label={texts.title}>
        {feed.items.map((each) => (
          <Entry key={each._id} notification={each} onOpen={onClose} />
        ))}
      </ul>
      {feed.hasMore && (
        <Button kind="quiet" isBusy={feed.isLoadingMore} onClick={feed.loadMore}>
          {common.loadMore}
        </Button>
      )}
    </>
  );
}

function Entry({ notification, onOpen }: { notification: Notification; onOpen(): void }): ReactElement {
  const texts = useTexts(NOTIFICATIONS);
  const { _id, actor, contact_summary, preview, read_at, createdAt } = notification;
  const open = (): void => {
    onOpen();
    if (read_at === null) markNotificationsAsRead([_id]).catch(showError);
  };
  return (
    <li>
      <Link href={findAddress(notification)} className={styles['entry']} onClick={open}>
        <Avatar name={actor?.name ?? contact_summary?.name ?? texts.someone} />
        <span className={styles['text']}>
          <span className={styles['what']} data-unread={read_at === null || undefined} dir="auto">
            {describeNotification(notification)}
          </span>
          {preview !== null && (
            <span className={styles['preview']} dir="auto">
              {preview}
            </span>
          )}
          <time className={styles['at']} dateTime={createdAt}>
            {formatShort(createdAt)}
          </time>
        </span>
        {read_at === null && <span className={styles['dot']} role="img" aria-label={texts.unread} />}
      </Link>
    </li>
  );
}
