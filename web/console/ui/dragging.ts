/** Lets an element be dragged, and others be dropped on it. No page needs the library at first, so this file is loaded when it is used. */
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter';

type Data = Record<string | symbol, unknown>;

interface Dragging {
  readData(): Data;
  canDrop(dragged: Data): boolean;
  /** Another element is over this one, at this height of the window. */
  onDrag(y: number): void;
  onLeave(): void;
  onDrop(dragged: Data, y: number): void;
}

/** Returns what ends it. */
export const followDrags = (
  element: HTMLElement,
  { readData, canDrop, onDrag, onLeave, onDrop }: Dragging,
): (() => void) =>
  combine(
    draggable({ element, getInitialData: readData }),
    dropTargetForElements({
      element,
      canDrop: ({ source }) => canDrop(source.data),
      onDrag: ({ location }) => onDrag(location.current.input.clientY),
      onDragLeave: onLeave,
      onDrop: ({ source, location }) => onDrop(source.data, location.current.input.clientY),
    }),
  );
