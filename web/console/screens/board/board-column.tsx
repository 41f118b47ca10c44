/** One column of the board with its cards. Only the cards that can be seen are in the document. */
import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter';
import type { Conversation } from '@parley/sdk';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useConversations } from '../../records/conversations.ts';
import type { FeedView } from '../../records/feeds.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import { BoardCard } from './board-card.tsx';
import styles from './board.module.css';
import { moveCard, readDraggedCard, useMovedCard, type BoardStep } from './card-moves.ts';
import { BOARD } from './texts.ts';

interface BoardColumnProps {
  step: BoardStep;
  /** All columns, in their order. */
  steps: readonly BoardStep[];
  count: string;
  /** Whether it is the one that a phone shows. */
  isShown: boolean;
}

/** Snoozed conversations and people who have not replied to a campaign do not wait for a step. */
const NO_STEP = { open: true, snoozed: false, awaits_reply: false, step: 'none' } as const;

export function BoardColumn({ step, steps, count, isShown }: BoardColumnProps): ReactElement {
  const column = useRef<HTMLElement>(null);
  const [isBelowDrag, setBelowDrag] = useState(false);
  useEffect(() => {
    if (!column.current) return undefined;
    return dropTargetForElements({
      element: column.current,
      onDragEnter: () => setBelowDrag(true),
      onDragLeave: () => setBelowDrag(false),
      onDrop: ({ source }) => {
        setBelowDrag(false);
        const dragged = readDraggedCard(source.data);
        if (dragged) moveCard(dragged, step._id);
      },
    });
  }, [step._id]);
  const feed = useConversations(step._id === null ? NO_STEP : { open: true, step: step._id });
  return (
    <section
      ref={column}
      className={styles['column']}
      aria-label={step.name}
      data-shown={isShown}
      data-below-drag={isBelowDrag}
    >
      <header className={styles['head']}>
        <h2 className={styles['name']} dir="auto">
          {step.name}
        </h2>
        {step.kind !== 'OPEN' && <KindBadge name={step.name} kind={step.kind} />}
        <span className={styles['count']}>{count}</span>
      </header>
      <Cards feed={feed} step={step} steps={steps} />
    </section>
  );
}

const CARD_HEIGHT = 128;
/** How many cards before its end a column reads its next page. */
const AHEAD = 10;

interface CardsProps {
  feed: FeedView<Conversation>;
  step: BoardStep;
  steps: readonly BoardStep[];
}

function Cards({ feed, step, steps }: CardsProps): ReactElement {
  const texts = useTexts(BOARD);
  const scroller = useRef<HTMLDivElement>(null);
  const moved = useMovedCard(step._id);
  const cards = useVirtualizer({
    count: feed.items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_HEIGHT,
    getItemKey: (index) => feed.items[index]?._id ?? index,
    overscan: 4,
  });
  const shown = cards.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= feed.items.length - AHEAD) feed.loadMore();
  }, [last, feed]);
  useEffect(() => {
    const index = feed.items.findIndex(({ _id }) => _id === moved);
    if (index >= 0) cards.scrollToIndex(index);
  }, [moved, feed.items, cards]);
  if (feed.isLoading) return <Loading />;
  if (feed.error) return <Failure error={feed.error} />;
  if (feed.items.length === 0) return <p className={styles['nothing']}>{texts.nothingHere}</p>;
  return (
    <div ref={scroller} className={styles['scroller']}>
      <ul className={styles['cards']} style={{ height: cards.getTotalSize() }}>
        {shown.map(({ index, key, start }) => {
          const conversation = feed.items[index];
          return (
            conversation && (
              <li key={key} className={styles['place']} style={{ transform: `translateY(${start}px)` }}>
                <BoardCard conversation={conversation} step={step} steps={steps} isMoved={key === moved} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

/** Says what a step means for the deal, unless its name says the same in any of our languages. */
function KindBadge({ name, kind }: { name: string; kind: 'WON' | 'LOST' }): ReactElement {
  const texts = useTexts(BOARD);
  const isSaid = Object.values(BOARD).some((each) => each[kind].toLowerCase() === name.trim().toLowerCase());
  const tone = kind === 'WON' ? 'good' : 'danger';
  return isSaid ? (
    <span className={styles['mark']} data-kind={kind} title={texts[kind]} />
  ) : (
    <Badge tone={tone}>{texts[kind]}</Badge>
  );
}
