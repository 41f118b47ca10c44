/**
 * The messages of a conversation, the newest below. Older ones are read when somebody scrolls up, and then the contact's earlier conversations;
 * what is read stays where it is.
 */
import type { Conversation, HistoryEntry, Message } from '@parley/sdk';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type ReactElement, type RefObject } from 'react';
import { useSearch } from 'wouter';
import { useEarlier, useHasEarlier } from '../../../records/earlier.ts';
import type { FeedView } from '../../../records/feeds.ts';
import { useHistory } from '../../../records/history.ts';
import { useFailedScheduled, useScheduled } from '../../../records/scheduled-messages.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Empty, Failure, Loading } from '../../../ui/state.tsx';
import { EarlierMark, usePull, type Earlier } from './earlier.tsx';
import styles from './message-list.module.css';
import { MessageMenuPlace } from './message-tools.tsx';
import { ToEnd, useFirstUnread, useMissed } from './news.tsx';
import { discardArrived, hasArrived, useOutbox } from './outbox.ts';
import { OutgoingBubble } from './outgoing.tsx';
import { makeRows, type ThreadRow } from './rows.ts';
import { RowContent } from './row-content.tsx';
import { ScheduledProblem } from './scheduled.tsx';
import { THREAD } from './texts.ts';

interface MessageListProps {
  conversation: Conversation;
  feed: FeedView<Message>;
  /** The name of the contact. */
  contact: string;
  onReply(message: Message): void;
  /** The newest messages are in view. */
  onEnd: (() => void) | null;
}

const ROW_HEIGHT = 72;
/** Whoever is this close to the end follows new messages. */
const END_PIXELS = 120;
/** Above the first row stands what loads earlier conversations. A row of its own would stay where it is while others come below it. */
const TOP_SPACE = 44;
/** How many rows before the oldest loaded one the next page is read. */
const AHEAD = 12;

export function MessageList({ conversation, feed, contact, onReply, onEnd }: MessageListProps): ReactElement {
  const texts = useTexts(THREAD);
  const { _id } = conversation;
  const waiting = useOutbox(_id);
  const history = useHistoryBeside(_id, feed);
  const [later, stopped] = [useScheduled(_id), useFailedScheduled(_id)];
  const [scheduled, failed] = [later.items, stopped.items];
  const [isWanted, setWanted] = useState(false);
  const hasEarlier = useHasEarlier(conversation, !feed.isLoading && !feed.hasMore);
  const earlier: Earlier = {
    feed: useEarlier(conversation, isWanted),
    isOffered: hasEarlier === true,
    isWanted,
    want: () => setWanted(hasEarlier !== false),
  };
  const above = earlier.feed.items;
  const firstUnread = useFirstUnread(conversation, feed);
  const rows = useMemo(() => {
    const outgoing = waiting.filter((each) => !hasArrived(each, feed.items));
    const own = { conversation: _id, messages: feed.items, history, outgoing, scheduled, failed, firstUnread };
    return makeRows({ ...own, earlier: above, isWhole: !feed.hasMore });
  }, [_id, feed.items, feed.hasMore, history, waiting, scheduled, failed, above, firstUnread]);
  useEffect(() => discardArrived(waiting, feed.items), [feed.items, waiting]);
  if (feed.isLoading || feed.error)
    return (
      <div className={styles['unloaded']} role="log" aria-label={texts.messages} tabIndex={0}>
        {feed.error ? <Failure error={feed.error} /> : <Loading />}
        {waiting.map((outgoing) => (
          <div key={outgoing.key} className={styles['waiting']}>
            <OutgoingBubble outgoing={outgoing} />
          </div>
        ))}
      </div>
    );
  if (rows.length === 0) return <Empty icon="channel" title={texts.empty} />;
  return (
    <div className={styles['whole']}>
      <Rows {...{ conversation, rows, feed, earlier, contact, onReply, onEnd }} />
      <ScheduledProblem lists={[later, stopped]} />
    </div>
  );
}

/** What happened to the conversation since the oldest loaded message; older entries come with older messages. */
function useHistoryBeside(conversation: string, messages: FeedView<Message>): readonly HistoryEntry[] {
  const history = useHistory(conversation);
  const since = messages.items.at(-1)?.createdAt ?? '';
  const isShort = since !== '' && (history.items.at(-1)?.createdAt ?? '') > since;
  useEffect(() => {
    if (isShort) history.loadMore();
  }, [isShort, history]);
  const { items } = history;
  const { hasMore } = messages;
  return useMemo(
    () => (hasMore ? items.filter(({ createdAt }) => createdAt >= since) : items),
    [items, hasMore, since],
  );
}

interface RowsProps extends MessageListProps {
  rows: readonly ThreadRow[];
  earlier: Earlier;
}

function Rows({ conversation, rows, feed, earlier, contact, onReply, onEnd }: RowsProps): ReactElement {
  const texts = useTexts(THREAD);
  const scroller = useRef<HTMLDivElement>(null);
  const search = useWantedRow();
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    anchorTo: 'end',
    followOnAppend: !search.isSeeking,
    scrollEndThreshold: END_PIXELS,
    paddingStart: TOP_SPACE,
    paddingEnd: 12,
  });
  const { showEnd, onScroll } = usePlace({ list, scroller, rows, feed, onEnd, search });
  const { onPull, ...pull } = usePull(scroller, feed.hasMore || search.isSeeking ? null : earlier.want);
  const wantEarlier = (): void => {
    // The button goes away.
    scroller.current?.focus();
    earlier.want();
  };
  const isAtEnd = list.isAtEnd(END_PIXELS);
  const missed = useMissed(feed.items, isAtEnd);
  const shown = list.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  useEffect(() => {
    if (first >= AHEAD) return;
    if (feed.hasMore) feed.loadMore();
    else earlier.feed.loadMore();
  }, [first, feed, earlier]);
  return (
    <div className={styles['frame']}>
      <div
        ref={scroller}
        {...pull}
        onScroll={() => {
          onScroll();
          onPull();
        }}
        className={styles['scroller']}
        role="log"
        aria-label={texts.messages}
        tabIndex={0}
      >
        {!feed.hasMore && <EarlierMark earlier={earlier} onWant={wantEarlier} />}
        <ol className={styles['rows']} style={{ height: list.getTotalSize() }}>
          {shown.map(({ index, key, start }) => (
            <li
              key={key}
              ref={list.measureElement}
              data-index={index}
              className={styles['row']}
              data-wanted={key === search.wanted || undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              <RowContent row={rows[index]} {...{ conversation, contact, onReply }} />
            </li>
          ))}
        </ol>
      </div>
      <MessageMenuPlace />
      {!isAtEnd && <ToEnd missed={missed} onClick={showEnd} />}
    </div>
  );
}

interface PlaceOptions extends Pick<RowsProps, 'rows' | 'feed' | 'onEnd'> {
  list: Virtualizer<HTMLDivElement, Element>;
  scroller: RefObject<HTMLDivElement | null>;
  search: WantedRow;
}

interface Place {
  showEnd(): void;
  onScroll(): void;
}

/** Keeps the list where the user reads: at its end, or at the message that the address names, for which older messages are loaded. */
function usePlace({ list, scroller, rows, feed, onEnd, search }: PlaceOptions): Place {
  const { wanted, isSeeking, endSearch } = search;
  // A thread begins at its end, also when its address no longer names a message, and stays there when the composer below it grows.
  const wasAtEnd = useRef(true);
  const hasWanted = wanted !== null;
  useEffect(() => {
    wasAtEnd.current = true;
    list.scrollToEnd();
  }, [hasWanted, list]);
  useEffect(() => {
    const sizes = new ResizeObserver(() => wasAtEnd.current && list.scrollToEnd());
    if (scroller.current) sizes.observe(scroller.current);
    return () => sizes.disconnect();
  }, [list]);
  const index = isSeeking ? rows.findIndex(({ key }) => key === wanted) : -1;
  useEffect(() => {
    if (index < 0) return;
    wasAtEnd.current = false;
    list.scrollToIndex(index, { align: 'center' });
  }, [index, list]);
  useEffect(() => {
    if (isSeeking && index < 0) feed.loadMore();
  }, [isSeeking, index, feed]);
  const showEnd = (): void => {
    endSearch();
    list.scrollToEnd();
  };
  useOwnSends(rows, showEnd);
  useSettled(() => {
    if (isSeeking) {
      if (index < 0 && feed.hasMore) return;
      // The command knows the row by its index, which changes with the next page.
      list.cancelScroll();
      endSearch();
    } else if (list.isAtEnd(END_PIXELS)) onEnd?.();
  });
  // The list learns of a scroll only after this handler, so the handler asks the element.
  const onScroll = (): void => {
    if (scroller.current) wasAtEnd.current = isScrolledToEnd(scroller.current);
  };
  return { showEnd, onScroll };
}

const isScrolledToEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight <= END_PIXELS;

/** The message that the address names, as that of a hit of a search does. */
export const useWanted = (): string | null => new URLSearchParams(useSearch()).get('message');

interface WantedRow {
  wanted: string | null;
  /** True until the message is in its place: in the meantime nothing but the user moves the list to its end. */
  isSeeking: boolean;
  endSearch(): void;
}

function useWantedRow(): WantedRow {
  const wanted = useWanted();
  const [reached, setReached] = useState<string | null>(null);
  // Opened without the message in between, the conversation seeks it again.
  if (wanted === null && reached !== null) setReached(null);
  useEffect(() => {
    // The same hit is opened again: its address is the same, so only the event of the router tells.
    const seek = (): void => setReached(null);
    window.addEventListener('pushState', seek);
    return () => window.removeEventListener('pushState', seek);
  }, []);
  return { wanted, isSeeking: wanted !== null && wanted !== reached, endSearch: () => setReached(wanted) };
}

/** Acts each time that two frames have passed without a change of the list, whose rows are measured after they are shown. */
function useSettled(act: () => void): void {
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(act);
    });
    return () => cancelAnimationFrame(frame);
  });
}

/** What the user sends is shown, wherever in the thread they have read. */
function useOwnSends(rows: readonly ThreadRow[], show: () => void): void {
  // Scheduled messages are below the outgoing ones.
  const sent = rows.findLast(({ kind }) => kind === 'outgoing')?.key ?? null;
  const seen = useRef(sent);
  useEffect(() => {
    if (sent !== null && sent !== seen.current) show();
    seen.current = sent;
  });
}
