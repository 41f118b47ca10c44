/** The contact's earlier conversations above the open one: the line over each, and what loads them. */
import type { Message } from '@parley/sdk';
import { useRef, type KeyboardEvent, type ReactElement, type RefObject, type WheelEvent } from 'react';
import { Link, useParams } from 'wouter';
import { useInboxes } from '../../../records/company.ts';
import { useConversation } from '../../../records/conversations.ts';
import type { FeedView } from '../../../records/feeds.ts';
import { STATUS_NAMES } from '../../../texts/conversation-states.ts';
import { formatDate } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ChannelGlyph } from '../../../ui/channel-mark.tsx';
import { explainError } from '../../../ui/problem.ts';
import { COMMON } from '../../../ui/texts.ts';
import styles from './earlier.module.css';
import { THREAD } from './texts.ts';

/** The earlier conversations of the contact, which are read once the user wants to see them. */
export interface Earlier {
  feed: FeedView<Message>;
  /** There are some. */
  isOffered: boolean;
  isWanted: boolean;
  want(): void;
}

/** Where a conversation begins: its channel, its inbox, from when to when it was, and its state. */
export function ConversationLine({ conversation: id }: { conversation: string }): ReactElement {
  const texts = useTexts(THREAD);
  const states = useTexts(STATUS_NAMES);
  const { view, conversation: shown } = useParams<{ view: string; conversation: string }>();
  const { data: conversation } = useConversation(id);
  const inbox = useInboxes().find(({ _id }) => _id === conversation?.inbox);
  return (
    <h2 className={styles['line']} data-current={id === shown || undefined}>
      {conversation && (
        <span className={styles['about']}>
          <ChannelGlyph channel={conversation.channel} />
          {inbox && (
            <bdi className={styles['inbox']} title={inbox.name}>
              {inbox.name}
            </bdi>
          )}
          <span>{formatRange(conversation.createdAt, conversation.closed_at ?? conversation.last_message_at)}</span>
          <span>{states[conversation.status]}</span>
          {id === shown ? <span>{texts.thisConversation}</span> : <Link href={`/${view}/${id}`}>{texts.open}</Link>}
        </span>
      )}
    </h2>
  );
}

function formatRange(from: string, to: string | null): string {
  const [first, last] = [formatDate(from), formatDate(to ?? from)];
  return first === last ? first : `${first} – ${last}`;
}

/** Above the first row of a thread: what loads earlier conversations, or that there are none. */
export function EarlierMark({ earlier, onWant }: { earlier: Earlier; onWant(): void }): ReactElement | null {
  const texts = useTexts(THREAD);
  const common = useTexts(COMMON);
  const { feed, isOffered, isWanted } = earlier;
  if (feed.error)
    return (
      <p className={styles['first']} role="alert">
        {explainError(feed.error)} <Button onClick={feed.reread}>{common.tryAgain}</Button>
      </p>
    );
  if (!isWanted && !isOffered) return null;
  if (!isWanted)
    return (
      <p className={styles['first']}>
        <Button kind="quiet" icon="up" onClick={onWant}>
          {texts.earlier}
        </Button>
      </p>
    );
  if (feed.isLoading || feed.hasMore)
    return (
      <p className={styles['first']} role="status">
        {common.loading}
      </p>
    );
  return feed.items.length === 0 ? <p className={styles['first']}>{texts.noEarlier}</p> : null;
}

/** The previous conversation is loaded when the user scrolls this close to the first message. */
const TOP_PIXELS = 240;
const UP_KEYS: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home']);

interface PullHandlers {
  onWheel(event: WheelEvent): void;
  onKeyDown(event: KeyboardEvent): void;
  onTouchMove(): void;
  onPointerDown(): void;
  onPull(): void;
}

/**
 * Loads earlier conversations when the user scrolls up, which a list that fits into the window does not report as a scroll. A list that moves
 * by itself loads none.
 */
export function usePull(scroller: RefObject<HTMLDivElement | null>, want: (() => void) | null): PullHandlers {
  const isUsers = useRef(false);
  const pull = (): void => {
    if (isUsers.current && scroller.current && scroller.current.scrollTop < TOP_PIXELS) want?.();
  };
  const pullUp = (): void => {
    isUsers.current = true;
    pull();
  };
  return {
    onWheel: ({ deltaY }) => {
      if (deltaY < 0) pullUp();
    },
    onKeyDown: ({ key }) => {
      if (UP_KEYS.has(key)) pullUp();
    },
    onTouchMove: pullUp,
    // The bar of the list is dragged.
    onPointerDown: () => {
      isUsers.current = true;
    },
    onPull: pull,
  };
}
