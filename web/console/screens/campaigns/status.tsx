/** The state of a campaign in words, with why it waits. */
import type { Campaign } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { CAMPAIGN_STATES, PAUSE_REASONS } from './texts.ts';

const TONES: Record<Campaign['status'], Tone> = {
  DRAFT: 'plain',
  SCHEDULED: 'plain',
  RUNNING: 'good',
  PAUSED: 'warning',
  COMPLETED: 'good',
  CANCELLED: 'plain',
  FAILED: 'danger',
};

/** A campaign that is over and of which few got a message is no success. */
export function StatusBadge({ status, totals }: Pick<Campaign, 'status' | 'totals'>): ReactElement {
  const texts = useTexts(CAMPAIGN_STATES);
  if (hasSentNothing({ status, totals })) return <Badge tone="danger">{texts.NOTHING_SENT}</Badge>;
  const isPoor = status === 'COMPLETED' && totals.sent < totals.enrolled / 2;
  return <Badge tone={isPoor ? 'warning' : TONES[status]}>{texts[status]}</Badge>;
}

export const hasSentNothing = ({ status, totals }: Pick<Campaign, 'status' | 'totals'>): boolean =>
  status === 'COMPLETED' && totals.enrolled > 0 && totals.sent === 0;

/** Says why a campaign is paused; nothing about any other. */
export function PauseReason({ status, pause_reason: reason }: Campaign): ReactElement | null {
  const texts = useTexts(PAUSE_REASONS);
  return status === 'PAUSED' && reason !== null ? <span title={texts[reason]}>{texts[reason]}</span> : null;
}
