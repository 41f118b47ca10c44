/** What is new in a thread: the line above the first unread message, and the button that scrolls to messages below. */
import type { Conversation, Message } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import type { FeedView } from '../../../records/feeds.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import styles from './message-list.module.css';
import { countNews, findFirstUnread } from './rows.ts';
import { THREAD } from './texts.ts';

/** Returns the first message that was unread when the thread was opened. It stays the first one, although opening marks all messages as read. */
export function useFirstUnread({ unread_count }: Conversation, { items, isLoading }: FeedView<Message>): string | null {
  const [unread] = useState(unread_count);
  const [first, setFirst] = useState<string | null | undefined>();
  if (first === undefined && !isLoading && items.length > 0) setFirst(findFirstUnread(items, unread));
  return first ?? null;
}

/** Counts the messages of the contact that have arrived since the end of the thread was last in view. */
export function useMissed(items: readonly Message[], isAtEnd: boolean): number {
  const newest = items[0]?._id;
  const [seen, setSeen] = useState(newest);
  if (isAtEnd && seen !== newest) setSeen(newest);
  return isAtEnd ? 0 : countNews(items, seen);
}

/** The line above the first message that was unread. */
export const NewLine = (): ReactElement => <p className={styles['new']}>{useTexts(THREAD).newLine}</p>;

/** Scrolls to the end of the thread, and shows how many messages have arrived there. */
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
