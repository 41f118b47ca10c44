/** The library for dragging elements, in a file of its own, because no page needs it at first. */
export { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter';
export { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
