/** The rows of a feed that can be seen. The next page is read before somebody scrolls to the end. */
import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, type RefObject } from 'react';
import type { FeedView } from '../records/feeds.ts';

/** How many rows before its end a feed reads its next page. */
const AHEAD = 15;

/** `kept` is a row that stays in the document wherever somebody scrolls to, for example because it has the focus. */
export function useFeedRows<T extends { _id: string }>(
  feed: FeedView<T>,
  scroller: RefObject<HTMLDivElement | null>,
  rowHeight: number,
  kept?: number,
): Virtualizer<HTMLDivElement, Element> {
  const rows = useVirtualizer({
    count: feed.items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => feed.items[index]?._id ?? index,
    overscan: 8,
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return kept === undefined || shown.includes(kept) ? shown : [...shown, kept].toSorted((a, b) => a - b);
    },
  });
  const last = rows.getVirtualItems().findLast(({ index }) => index !== kept)?.index ?? 0;
  useEffect(() => {
    if (last >= feed.items.length - AHEAD) feed.loadMore();
  }, [last, feed]);
  return rows;
}
