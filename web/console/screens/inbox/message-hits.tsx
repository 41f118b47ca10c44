/** The messages that a search has found. Each opens its conversation where it was written. */
import type { Message } from '@parley/sdk';
import { useRef, type ReactElement } from 'react';
import { Link } from 'wouter';
import { useContactName } from '../../records/contacts.ts';
import type { FeedView } from '../../records/feeds.ts';
import { formatMoment, formatShort } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { useFeedRows } from '../../ui/feed-rows.ts';
import { usePreview } from '../../ui/preview.tsx';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import list from './conversation-list.module.css';
import row from './conversation-row.module.css';
import { INBOX } from './texts.ts';

const ROW_HEIGHT = 76;

interface MessageHitsProps {
  feed: FeedView<Message>;
  view: string;
  search: string;
  /** A hit is opened. */
  onOpen?: (() => void) | undefined;
}

export function MessageHits({ feed, view, search, onOpen }: MessageHitsProps): ReactElement {
  const texts = useTexts(INBOX);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useFeedRows(feed, scroller, ROW_HEIGHT);
  if (feed.isLoading) return <Loading />;
  if (feed.error) return <Failure error={feed.error} />;
  if (feed.items.length === 0) return <Empty icon="inbox" title={texts.noMessage} />;
  return (
    <div ref={scroller} className={list['scroller']}>
      <ul className={list['rows']} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const message = feed.items[index];
          return (
            message && (
              <li key={key} className={list['place']} style={{ transform: `translateY(${start}px)` }}>
                <Hit {...{ message, view, search, onOpen }} />
              </li>
            )
          );
        })}
      </ul>
      {feed.isLoadingMore && (
        <p role="status" className={list['more']}>
          {texts.searchingOlder}
        </p>
      )}
    </div>
  );
}

function Hit({ message, view, search, onOpen }: Omit<MessageHitsProps, 'feed'> & { message: Message }): ReactElement {
  const { _id, conversation, createdAt } = message;
  return (
    <Link href={messagePath(view, { _id, conversation })} className={row['row']} onClick={onOpen}>
      <span className={row['text']}>
        <span className={row['line']}>
          <span className={row['name']} dir="auto">
            {useContactName(message)}
          </span>
          <time className={row['time']} dateTime={createdAt} title={formatMoment(createdAt)}>
            {formatShort(createdAt)}
          </time>
        </span>
        <span className={row['hit']} dir="auto">
          {cutAround(usePreview(message), search)}
        </span>
      </span>
    </Link>
  );
}

/** The address of a conversation at one of its messages. */
const messagePath = (view: string, { conversation, _id }: Pick<Message, 'conversation' | '_id'>): string =>
  `/${view}/${conversation}?message=${_id}`;

/** How many characters are shown before the word that was found. */
const BEFORE = 40;

const fold = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Begins a long text shortly before the first word that was searched. */
function cutAround(text: string, search: string): string {
  const word = fold(search).split(/\s+/)[0] ?? '';
  const at = fold(text).indexOf(word);
  return at <= BEFORE ? text : `…${text.slice(at - BEFORE)}`;
}
