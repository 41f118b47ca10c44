import type { ReactNode } from 'react';
import type { IconName } from '../ui/icon.tsx';

/** One line of the search: something to open, or a command to run. */
export interface Entry {
  key: string;
  icon: IconName;
  label: ReactNode;
  detail?: ReactNode;
  run(): void;
}

export interface EntryGroup {
  title: string;
  items: Entry[];
}
