/** The conversations of a view, the one with the newest message first. */
import { isParleyError, type Conversation } from '@parley/sdk';
import { useFeedRows } from '../../ui/feed-rows.ts';
import { Link } from 'wouter';
import { Suspense, useEffect, useRef, useState, type ReactElement } from 'react';
import type { ConversationFilter } from '../../records/conversation-filters.ts';
import { useConversations, useCounts } from '../../records/conversations.ts';
import type { FeedView } from '../../records/feeds.ts';
import { useMessageHits } from '../../records/messages.ts';
import { useIsCompact } from '../../frame/compact.ts';
import { useMay } from '../../session/session.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { lazyPart, LoadingPart } from '../../ui/lazy-part.tsx';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { RunProgress } from './bulk/run-progress.tsx';
import { useSelection, useSelectionKeys, type Selection } from '../../ui/bulk/selection.ts';
import { ConversationRow } from './conversation-row.tsx';
import styles from './conversation-list.module.css';
import { INBOX } from './texts.ts';
import { ListHead } from './list-head.tsx';
import { useListKeys } from './list-keys.ts';
import { useListOptions, useNarrowed } from './list-options.ts';
import { VIEWS } from './view-texts.ts';
import { countOf } from './views.ts';

const MessageHits = lazyPart(async () => (await import('./message-hits.tsx')).MessageHits);
const SelectionBar = lazyPart(async () => (await import('./bulk/selection-bar.tsx')).SelectionBar);

interface ConversationListProps {
  view: string;
  filter: ConversationFilter;
  /** The conversation that is open. */
  current: string | null;
}

interface FoldedListProps extends ConversationListProps {
  /** The views open from the title of the list. */
  isFolded: boolean;
}

/** A search begins when nobody has typed for this long. */
const TYPED_MS = 250;

export function ConversationList({ isFolded, ...list }: FoldedListProps): ReactElement {
  const texts = useTexts(INBOX);
  const { view, filter } = list;
  const [typed, setTyped] = useState('');
  const [typedIn, setTypedIn] = useState(view);
  if (typedIn !== view) {
    setTypedIn(view);
    setTyped('');
  }
  return (
    <section className={styles['list']} aria-label={texts.conversations}>
      <ListHead view={view} filter={filter} search={typed.trim()} isFolded={isFolded} />
      <Searchable key={view} {...list} typed={typed} onType={setTyped} />
    </section>
  );
}

interface SearchableProps extends ConversationListProps {
  typed: string;
  onType(typed: string): void;
}

function Searchable({ view, filter: whole, current, typed, onType }: SearchableProps): ReactElement {
  const texts = useTexts(INBOX);
  const filter = useNarrowed(view, whole);
  const [search, setSearch] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <>
      <div className={styles['search']}>
        <input
          type="search"
          className={styles['input']}
          aria-label={texts.searchHere}
          placeholder={texts.searchHere}
          value={typed}
          onChange={({ target }) => onType(target.value)}
        />
      </div>
      {search === '' ? (
        <Selectable {...{ view, filter, current }} />
      ) : (
        <SearchResults key={search} {...{ view, filter, current, search }} />
      )}
    </>
  );
}

/**
 * The conversations of the view whose contact is named so, those of all views, and the messages of its inbox, or of all, that contain the
 * words.
 */
function SearchResults({ search, ...list }: ConversationListProps & { search: string }): ReactElement {
  const texts = useTexts(INBOX);
  const filter = { ...list.filter, search };
  const conversations = useConversations(filter);
  const everywhere = { search };
  const all = useConversations(everywhere);
  const messages = useMessageHits(useMay('messages:read') ? search : null, { inbox: list.filter.inbox });
  const results = [
    ['CONVERSATIONS', texts.conversations, conversations],
    ['EVERYWHERE', texts.everywhere, all],
    ['MESSAGES', list.filter.inbox === undefined ? texts.allMessages : texts.messages, messages],
  ] as const;
  const [chosen, choose] = useState<(typeof results)[number][0] | null>(null);
  // Decided once all are there, so that a later change does not take away what the user reads.
  if (chosen === null && results.every(([, , { isLoading }]) => !isLoading))
    choose(results.find(([, , { items }]) => items.length > 0)?.[0] ?? 'CONVERSATIONS');
  const shown = chosen ?? 'CONVERSATIONS';
  return (
    <>
      <div className={styles['kinds']} role="group" aria-label={texts.results}>
        {results.map(([kind, name, { items, hasMore }]) => (
          <button
            key={kind}
            type="button"
            className={styles['kind']}
            aria-pressed={kind === shown}
            onClick={() => choose(kind)}
          >
            {name} <span className={styles['count']}>{`${formatNumber(items.length)}${hasMore ? '+' : ''}`}</span>
          </button>
        ))}
      </div>
      {shown === 'MESSAGES' ? (
        <Suspense fallback={<LoadingPart />}>
          <MessageHits feed={messages} view={list.view} search={search} />
        </Suspense>
      ) : (
        <Selectable {...list} filter={shown === 'EVERYWHERE' ? everywhere : filter} />
      )}
    </>
  );
}

/** The rows with what can be done with several of them. */
function Selectable({ view, filter, current }: ConversationListProps): ReactElement {
  const feed = useConversations(filter);
  const { sort: _, ...unsorted } = filter;
  const selection = useSelection(feed.items, unsorted, useMay('conversations:update'));
  useSelectionKeys(selection, current);
  return (
    <>
      <Rows {...{ feed, selection, view, current }} />
      <RunProgress view={view} />
      {selection.items.length > 0 && (
        <Suspense fallback={<LoadingPart />}>
          <SelectionBar selection={selection} filter={unsorted} />
        </Suspense>
      )}
    </>
  );
}

interface RowsProps {
  feed: FeedView<Conversation>;
  selection: Selection<Conversation>;
  view: string;
  current: string | null;
}

const ROW_HEIGHT = 60;
const COMPACT_HEIGHT = 36;

function Rows({ feed, selection, view, current }: RowsProps): ReactElement {
  const texts = useTexts(INBOX);
  const { missing } = useTexts(VIEWS);
  const scroller = useRef<HTMLDivElement>(null);
  const isCompact = useIsCompact();
  const { sort } = useListOptions(view);
  const rows = useFeedRows(feed, scroller, isCompact ? COMPACT_HEIGHT : ROW_HEIGHT);
  const shown = rows.getVirtualItems();
  useThreadInAdvance(!feed.isLoading);
  useListKeys({ items: feed.items, view, current, show: (index) => rows.scrollToIndex(index) });
  if (feed.isLoading) return <Loading />;
  if (feed.error && view.startsWith('view-') && isParleyError(feed.error) && feed.error.status === 400)
    return <Empty icon="filter" title={missing} />;
  if (feed.error) return <Failure error={feed.error} />;
  if (feed.items.length === 0) {
    return (
      <Empty icon="inbox" title={sort === 'waiting_since' ? texts.nobodyWaits : texts.nothingHere}>
        {view === 'mine' && <OthersLinks />}
      </Empty>
    );
  }
  return (
    <div ref={scroller} className={styles['scroller']}>
      <ul className={styles['rows']} data-keys data-compact={isCompact} style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, key, start }) => {
          const conversation = feed.items[index];
          return (
            conversation && (
              <li key={key} className={styles['place']} style={{ transform: `translateY(${start}px)` }}>
                <ConversationRow {...{ conversation, view, selection }} isCurrent={conversation._id === current} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

/** Loads the part that shows a conversation once the list is there, so that a click on a row need not wait for it. */
function useThreadInAdvance(isReady: boolean): void {
  useEffect(() => {
    // Failure policy: the click tries again, and says what is missing.
    if (isReady) import('./thread/thread.tsx').catch(() => undefined);
  }, [isReady]);
}

/** Where the conversations are of which the user has none. */
function OthersLinks(): ReactElement {
  const texts = useTexts(INBOX);
  const { data: counts } = useCounts();
  return (
    <>
      {(['unassigned', 'all'] as const).map((view) => {
        const count = countOf(view, counts);
        return (
          count !== null &&
          count > 0 && (
            <Link key={view} href={`/${view}`}>
              {texts[view]}: {formatNumber(count)}
            </Link>
          )
        );
      })}
    </>
  );
}
