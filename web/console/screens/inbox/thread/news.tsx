/** What is new in a thread: the line above the first unread message, and the button that leads to messages that arrive meanwhile. */
import type { Conversation, Message } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import type { FeedView } from '../../../records/feeds.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import styles from './message-list.module.css';
import { countNews, findFirstUnread } from './rows.ts';
import { THREAD } from './texts.ts';

/** The first message that was unread when the thread was opened; opening it marks all as read. */
export function useFirstUnread({ unread_count }: Conversation, { items, isLoading }: FeedView<Message>): string | null {
  const [unread] = useState(unread_count);
  const [first, setFirst] = useState<string | null | undefined>();
  if (first === undefined && !isLoading && items.length > 0) setFirst(findFirstUnread(items, unread));
  return first ?? null;
}

/** How many messages of the contact have arrived since the end was in view. */
export function useMissed(items: readonly Message[], isAtEnd: boolean): number {
  const newest = items[0]?._id;
  const [seen, setSeen] = useState(newest);
  if (isAtEnd && seen !== newest) setSeen(newest);
  return isAtEnd ? 0 : countNews(items, seen);
}

/** Stands above the first message that was unread. */
export const NewLine = (): ReactElement => <p className={styles['new']}>{useTexts(THREAD).newLine}</p>;

/** Leads to the end of the thread, and says how many messages have arrived there. */
export function ToEnd({ missed, onClick }: { missed: number; onClick(): void }): ReactElement {
  const texts = useTexts(THREAD);
  return (
    <div className={styles['down']} data-missed={missed > 0}>
      {missed === 0 ? (
        <IconButton icon="down" label={texts.newMessages} onClick={onClick} />
      ) : (
        <Button kind="quiet" icon="down" title={texts.newMessages} onClick={onClick}>
          {texts.missed(missed)}
        </Button>
      )}
    </div>
  );
}
