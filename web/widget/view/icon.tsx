/** @jsxImportSource preact */
/** The icons of the chat: lines on a square of 24 points. Each stands in a button or link with a label of its own. */
import type { VNode } from 'preact';

const PATHS = {
  send: 'M4 20 21 12 4 4l2 8zM6 12h15',
  attach: 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 5 5l-8.5 8.4a1.8 1.8 0 0 1-2.5-2.5L15 7',
  microphone: 'M12 15a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v6a3 3 0 0 0 3 3zM6 11v1a6 6 0 0 0 12 0v-1M12 18v3',
  close: 'M6 6l12 12M18 6 6 18',
  down: 'M5 9l7 7 7-7',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  place: 'M12 21s7-6.5 7-12a7 7 0 0 0-14 0c0 5.500 7 12 7 12zM12 11.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }): VNode => (
  <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick(): void;
  isStrong?: boolean;
  disabled?: boolean;
}

export const IconButton = ({ icon, label, onClick, isStrong = false, disabled = false }: IconButtonProps): VNode => (
  <button
    type="button"
    class={isStrong ? 'icon-button strong' : 'icon-button'}
    aria-label={label}
    title={label}
    disabled={disabled}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
);
