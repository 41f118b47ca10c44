/** The list behind the bell: the notifications by kind, and the offer to show them while the console is closed. */
import { Popover } from '@base-ui/react/popover';
import { Tabs } from '@base-ui/react/tabs';
import type { Notification } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import {
  markNotificationsAsRead,
  useNotifications,
  useUnreadCounts,
  useUnreadNotifications,
} from '../records/notifications.ts';
import { changeListFilter } from '../screens/inbox/list-options.ts';
import { formatShort } from '../texts/formats.ts';
import { useTexts } from '../texts/texts.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty, Failure, Loading } from '../ui/state.tsx';
import { COMMON } from '../ui/texts.ts';
import { showError } from '../ui/toast.tsx';
import styles from './bell.module.css';
import { describe, findAddress, nameWriter, toDescribed } from './describe.ts';
import { groupMisses } from './groups.ts';
import { PushOffer } from './push-offer.tsx';
import { NOTIFICATIONS } from './texts.ts';

export function BellContent({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(NOTIFICATIONS);
  const common = useTexts(COMMON);
  const unread = useUnreadNotifications();
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
      <Kinds onOpen={onClose} />
      <PushOffer />
    </>
  );
}

const KINDS = ['ALL', 'MENTIONED', 'ASSIGNED', 'REPLIED'] as const;

/** A tab for each kind that people look for. The others are in the first one. */
function Kinds({ onOpen }: { onOpen(): void }): ReactElement {
  const texts = useTexts(NOTIFICATIONS);
  const common = useTexts(COMMON);
  const counts = useUnreadCounts();
  const [shown, show] = useState<(typeof KINDS)[number]>('ALL');
  const names = { ALL: texts.all, MENTIONED: texts.mentions, ASSIGNED: texts.assignments, REPLIED: texts.replies };
  return (
    <Tabs.Root value={shown} onValueChange={(kind: (typeof KINDS)[number]) => show(kind)} className={styles['kinds']}>
      <Tabs.List className={styles['tabs']} aria-label={texts.tabs} activateOnFocus>
        {KINDS.map((kind) => {
          const count = kind === 'ALL' ? 0 : (counts?.by_kind[kind] ?? 0);
          return (
            <Tabs.Tab key={kind} value={kind} className={styles['tab']}>
              {names[kind]}
              {count > 0 && (
                <>
                  <span className={styles['count']} aria-hidden="true">
                    {count}
                  </span>
                  <span className="unseen"> {common.unread(count)}</span>
                </>
              )}
            </Tabs.Tab>
          );
        })}
      </Tabs.List>
      <Tabs.Panel value={shown} tabIndex={-1} className={styles['panel']}>
        <List key={shown} kind={shown === 'ALL' ? null : shown} name={names[shown]} onOpen={onOpen} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

interface ListProps {
  kind: Notification['kind'] | null;
  name: string;
  onOpen(): void;
}

function List({ kind, name, onOpen }: ListProps): ReactElement {
  const texts = useTexts(NOTIFICATIONS);
  const common = useTexts(COMMON);
  const feed = useNotifications(kind);
  if (feed.isLoading) return <Loading />;
  if (feed.error) return <Failure error={feed.error} onRetry={feed.reread} />;
  if (feed.items.length === 0) {
    return (
      <Empty icon="bell" title={texts.nothing}>
        {kind === null && texts.nothingLead}
      </Empty>
    );
  }
  return (
    <>
      <ul className={styles['list']} aria-label={name}>
        {groupMisses(feed.items).map((group) => (
          <Entry key={group[0]?._id} group={group} onOpen={onOpen} />
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

function Entry({ group, onOpen }: { group: readonly Notification[]; onOpen(): void }): ReactElement | null {
  const texts = useTexts(NOTIFICATIONS);
  const [notification] = group;
  if (!notification) return null;
  const { kind, actor, preview, read_at, createdAt } = notification;
  const isGroup = group.length > 1;
  const open = (): void => {
    onOpen();
    if (isGroup) changeListFilter('all', { sla: 'BREACHED' });
    if (read_at === null) markNotificationsAsRead(group.map(({ _id }) => _id)).catch(showError);
  };
  return (
    <li>
      <Link href={isGroup ? '/inbox/all' : findAddress(notification)} className={styles['entry']} onClick={open}>
        {kind === 'NOT_SENT' || kind === 'SLA_BREACHED' ? (
          <span className={styles['failed']}>
            <Icon name="warning" size={16} />
          </span>
        ) : (
          <Avatar name={actor?.name ?? nameWriter(notification) ?? texts.someone} />
        )}
        <span className={styles['text']}>
          <span className={styles['what']} data-unread={read_at === null || undefined} dir="auto">
            {isGroup ? texts.breachedMany(group.length) : describe(texts, toDescribed(notification))}
          </span>
          {preview !== null && !isGroup && (
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
