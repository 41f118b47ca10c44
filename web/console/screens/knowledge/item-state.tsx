/** The state of an item in words, how far the platform has come with it, and why it could not be prepared. */
import type { ListedKnowledgeItem } from '@parley/sdk';
import type { ReactElement } from 'react';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import styles from './knowledge.module.css';
import { ITEM_FAULTS, ITEM_STATES, KNOWLEDGE } from './texts.ts';

const TONES: Record<ListedKnowledgeItem['status'], Tone> = { PROCESSING: 'plain', READY: 'good', ERROR: 'danger' };

export function StatusBadge({ status }: Pick<ListedKnowledgeItem, 'status'>): ReactElement {
  return <Badge tone={TONES[status]}>{useTexts(ITEM_STATES)[status]}</Badge>;
}

/** The state with the progress, below the title of an item. */
export function ItemState({ item }: { item: ListedKnowledgeItem }): ReactElement {
  return (
    <span className={styles['state']}>
      <StatusBadge status={item.status} />
      <PageProgress item={item} />
    </span>
  );
}

/** Shows how many pages of a file were read; nothing about an item that is not being prepared. */
export function PageProgress({ item: { status, meta } }: { item: ListedKnowledgeItem }): ReactElement | null {
  const texts = useTexts(KNOWLEDGE);
  if (status !== 'PROCESSING' || meta?.pages === undefined) return null;
  const { pages, pagesRead = 0 } = meta;
  const words = texts.pagesRead(formatNumber(pagesRead), formatNumber(pages));
  return (
    <span className={styles['progress']}>
      <progress aria-label={words} max={pages} value={pagesRead} />
      {words}
    </span>
  );
}

/** Returns why an item could not be prepared, in the language of the console where the cause is a known one. */
export function useFault({ error }: ListedKnowledgeItem): string | null {
  const faults = useTexts(ITEM_FAULTS);
  if (!error) return null;
  const known = new Map<string, string>(Object.entries(faults)).get(error.code);
  return known ?? error.message;
}
