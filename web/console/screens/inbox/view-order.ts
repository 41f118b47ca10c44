/** Moves saved views by dragging them in their column. */
import type { View } from '@parley/sdk';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { SAVED_VIEWS, useSavedView } from '../../records/views.ts';
import { place, usePlace, type Place } from '../../ui/saved/order.ts';

type Edge = 'before' | 'after';

/** Lets the user drag a view, and drop another one before or after it. `edge` is where the dragged one would go. */
export function useViewDrag(key: string): { row: RefObject<HTMLLIElement | null>; edge: Edge | undefined } {
  const row = useRef<HTMLLIElement>(null);
  const [edge, setEdge] = useState<Edge>();
  const own = usePlace({ store: SAVED_VIEWS, share: 'conversations:update' }, useSavedView(key));
  const latest = useRef(own);
  latest.current = own;
  const isMovable = own !== null && own.list.length > 1;
  useEffect(() => {
    const element = row.current;
    if (!element || !isMovable) return undefined;
    const find = (data: Record<string | symbol, unknown>): View | undefined =>
      latest.current?.list.find(({ _id }) => _id === data['view'] && _id !== latest.current?.saved._id);
    let isGone = false;
    let stop = (): void => undefined;
    const begin = ({ followDrags }: typeof import('../../ui/dragging.ts')): void => {
      if (isGone) return;
      stop = followDrags(element, {
        readData: () => ({ view: latest.current?.saved._id }),
        canDrop: (data) => find(data) !== undefined,
        onDrag: (y) => setEdge(findEdge(element, y)),
        onLeave: () => setEdge(undefined),
        onDrop: (data, y) => {
          setEdge(undefined);
          const dragged = find(data);
          if (dragged && latest.current) drop(dragged, latest.current, findEdge(element, y));
        },
      });
    };
    // Failure policy: if the file does not load, views can still be moved with their menu.
    import('../../ui/dragging.ts').then(begin, () => undefined);
    return () => {
      isGone = true;
      stop();
    };
  }, [isMovable]);
  return { row, edge };
}

function findEdge(element: HTMLElement, y: number): Edge {
  const { top, height } = element.getBoundingClientRect();
  return y < top + height / 2 ? 'before' : 'after';
}

function drop(dragged: View, { saved, list }: Place<View>, edge: Edge): void {
  const others = list.filter(({ _id }) => _id !== dragged._id);
  const index = others.findIndex(({ _id }) => _id === saved._id) + (edge === 'after' ? 1 : 0);
  place(SAVED_VIEWS, { saved: dragged, list }, index);
}
