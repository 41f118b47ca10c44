/** The icons of the console: lines on a square of 24 points. An icon says nothing to a screen reader; its button has a label. */
import type { ReactElement } from 'react';
import styles from './icon.module.css';

const PATHS = {
  inbox: 'M3 13h5l2 3h4l2-3h5M5 5h14l2 8v6H3v-6z',
  board: 'M4 4h4v16H4zM10 4h4v11h-4zM16 4h4v7h-4z',
  contacts:
    'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21c0-4 3-7 7-7s7 3 7 7M16 3.5a4 4 0 0 1 0 7.2M18 14.5c2.4.9 4 3.3 4 6.5',
  campaign: 'M4 10v4h4l10 5V5L8 10zM8 14v6h3v-4.500M21 10v4',
  handset: 'M5 4h4l2 5-3 2a11 11 0 0 0 5 5l2-3 5 2v4a2 2 0 0 1-2 2A16 16 0 0 1 3 6a2 2 0 0 1 2-2z',
  mail: 'M3 6h18v12H3zM3 7l9 7 9-7',
  linkedin: 'M5 10v9M5 5v.01M10 19v-9M10 14c0-5 8-5 8 0v5',
  automation: 'M4 4h6v6H4zM14 14h6v6h-6zM10 7h4a3 3 0 0 1 3 3v4',
  pause: 'M8 5v14M16 5v14',
  business: 'M4 21V5l8-3v19M12 9h8v12M3 21h18M7 8h2M7 12h2M7 16h2M15 13h2M15 17h2',
  store:
    'M4 9l1.500-5h13L20 9a2.700 2.700 0 0 1-5.300 0 2.700 2.700 0 0 1-5.400 0A2.700 2.700 0 0 1 4 9zM5.500 13v7h13v-7M10 20v-5h4v5',
  report: 'M4 20h16M7 16v-4M12 16V6M17 16V9',
  table: 'M3 4h18v16H3zM3 10h18M3 15h18M9 4v16',
  knowledge: 'M12 6c-2-2-5-2-9-2v14c4 0 7 0 9 2 2-2 5-2 9-2V4c-4 0-7 0-9 2zM12 6v14',
  agent: 'M5 8h14v11H5zM12 8V4M9 12.500v.010M15 12.500v.010M9 16h6M2 12v4M22 12v4',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M6 14v6',
  webhook: 'M8 8 4 12l4 4M16 8l4 4-4 4M14 5l-4 14',
  key: 'M14.500 15a5.500 5.500 0 1 0-5.200-3.600L3 17.700V21h4v-2.500h2.500V16h2l1.200-1.300a5.500 5.500 0 0 0 1.800.3zM16.500 7.500h.01',
  audit: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h4',
  fields: 'M4 6h16M4 12h10M4 18h7',
  channel: 'M4 4h16v12H9l-5 4z',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  quick: 'M13 2 5 14h6l-1 8 9-12h-7z',
  wand: 'M4 20 14.500 9.500M15 3v4M13 5h4M20 9v4M18 11h4M7 4v3M5.500 5.500h3',
  sparkle: 'M11 3l2 6 6 2-6 2-2 6-2-6-6-2 6-2zM19 16l.8 2.2L22 19l-2.2.8L19 22l-.8-2.2L16 19l2.2-.8z',
  send: 'M4 20 21 12 4 4l2 8zM6 12h15',
  attach: 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 5 5l-8.5 8.4a1.8 1.8 0 0 1-2.5-2.5L15 7',
  microphone: 'M12 15a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v6a3 3 0 0 0 3 3zM6 11v1a6 6 0 0 0 12 0v-1M12 18v3',
  emoji: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5h.01M15 9.5h.01',
  template: 'M4 4h16v5H4zM4 13h7v7H4zM15 13h5v7h-5z',
  note: 'M5 3h14v11l-6 7H5zM13 21v-7h6',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M4 12l5 5L20 6',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  down: 'M5 9l7 7 7-7',
  up: 'M5 15l7-7 7 7',
  plus: 'M12 5v14M5 12h14',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  remove: 'M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3.5-7 8-7s8 3 8 7',
  tag: 'M4 4h8l8 8-8 8-8-8zM8 8h.01',
  redirect: 'M14 6l6 6-6 6M20 12h-9a7 7 0 0 0-7 7',
  unread: 'M3 8v10h18V10M3 8l9 6 4-2.700M3 8V6h11M19 7a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  reply: 'M10 6 4 12l6 6M4 12h9a7 7 0 0 1 7 7',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  upload: 'M12 16V5M7 9l5-5 5 5M4 20h16',
  merge: 'M7 4v5c0 4 5 3 5 7v4M17 4v5c0 4-5 3-5 7',
  sort: 'M7 4v15M3 15l4 4 4-4M13 6h8M13 11h6M13 16h4',
  flag: 'M6 21V4h12l-3 4 3 4H6',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  refresh: 'M20 11a8 8 0 1 0-2.3 6M20 4v7h-7',
  warning: 'M12 4 2.5 20h19zM12 10v4M12 17h.01',
  bell: 'M6 16V10a6 6 0 1 1 12 0v6l2 2H4zM10 21h4',
  logout: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  phone: 'M7 2h10v20H7zM11 18h2',
  copy: 'M8 8h12v12H8zM4 16V4h12',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  place: 'M12 21s7-6.5 7-12a7 7 0 0 0-14 0c0 5.500 7 12 7 12zM12 11.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  play: 'M7 4l13 8-13 8z',
  stop: 'M6 6h12v12H6z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }): ReactElement {
  return (
    <svg className={styles['icon']} viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
