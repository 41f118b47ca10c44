/** The pages of the wizard. */
import type { Campaign } from '@parley/sdk';
import type { Changes, KeptDraft } from './kept-draft.ts';

export const PARTS = ['basics', 'audience', 'messages', 'schedule', 'check'] as const;
export type Part = (typeof PARTS)[number];

/** What each page gets. */
export interface PartProps {
  /** The draft as it is stored. */
  stored: Campaign;
  /** The same with what is not stored yet. */
  shown: Campaign;
  kept: KeptDraft;
  onOpen(part: Part): void;
}

/** What a group of fields gets that also stands elsewhere. */
export interface FieldProps {
  /** The campaign with what is not stored yet. */
  shown: Campaign;
  kept: Changes;
}

/** Returns the place of the message that a field belongs to; null when it belongs to none. */
export function findStep(path: string): number | null {
  const place = /^steps\[(\d+)\]/.exec(path)?.[1];
  return place === undefined ? null : Number(place);
}

/** Returns the page on which a field of the campaign is changed. */
export function findPart(path: string): Part {
  if (path.startsWith('steps')) return 'messages';
  if (path.startsWith('audience')) return 'audience';
  return /^(scheduled_at|time_zone|sending_hours|messages_per_minute|error_threshold)/.test(path)
    ? 'schedule'
    : 'basics';
}
