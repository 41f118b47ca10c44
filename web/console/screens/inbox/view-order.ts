/** Moves saved views: by dragging them in their column, or by the menu of a view. */
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter';
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import type { View } from '@parley/sdk';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { moveView, toViewKey, useViews } from '../../records/views.ts';
import { useMay } from '../../session/session.ts';
import { showError } from '../../ui/toast.tsx';

/** A view among those that are listed with it, in their order. */
interface Place {
  view: View;
  list: readonly View[];
}

/** Returns the place of a view; null if the user may not move it. */
export function useViewPlace(key: string): Place | null {
  const views = useViews();
  const [mayShare, mayManage] = [useMay('conversations:update'), useMay('pipelines:update')];
  const view = views.find(({ _id }) => toViewKey(_id) === key);
  // The order of the shared views is the same for everyone.
  if (!view || (view.is_shared && !(mayShare && mayManage))) return null;
  return { view, list: views.filter(({ is_shared }) => is_shared === view.is_shared) };
}

/** Moves a view to this index of its list. */
export const placeView = ({ view, list }: Place, index: number): void => {
  const others = list.filter(({ _id }) => _id !== view._id);
  moveView(others.toSpliced(index, 0, view), index).catch(showError);
};

type Edge = 'before' | 'after';

/** Lets the user drag a view, and drop another one before or after it. `edge` is where the dragged one would go. */
export function useViewDrag(key: string): { row: RefObject<HTMLLIElement | null>; edge: Edge | undefined } {
  const row = useRef<HTMLLIElement>(null);
  const [edge, setEdge] = useState<Edge>();
  const own = useViewPlace(key);
  const latest = useRef(own);
  latest.current = own;
  const isMovable = own !== null && own.list.length > 1;
  useEffect(() => {
    const element = row.current;
    if (!element || !isMovable) return undefined;
    const find = (data: Record<string | symbol, unknown>): View | undefined =>
      latest.current?.list.find(({ _id }) => _id === data['view'] && _id !== latest.current?.view._id);
    return combine(
      draggable({ element, getInitialData: () => ({ view: latest.current?.view._id }) }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => find(source.data) !== undefined,
        onDrag: ({ location }) => setEdge(findEdge(element, location.current.input.clientY)),
        onDragLeave: () => setEdge(undefined),
        onDrop: ({ source, location }) => {
          setEdge(undefined);
          const dragged = find(source.data);
          if (dragged && latest.current)
            drop(dragged, latest.current, findEdge(element, location.current.input.clientY));
        },
      }),
    );
  }, [isMovable]);
  return { row, edge };
}

function findEdge(element: HTMLElement, y: number): Edge {
  const { top, height } = element.getBoundingClientRect();
  return y < top + height / 2 ? 'before' : 'after';
}

function drop(dragged: View, { view, list }: Place, edge: Edge): void {
  const others = list.filter(({ _id }) => _id !== dragged._id);
  placeView({ view: dragged, list }, others.indexOf(view) + (edge === 'after' ? 1 : 0));
}
