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

export function StatusBadge({ status }: Pick<Campaign, 'status'>): ReactElement {
  return <Badge tone={TONES[status]}>{useTexts(CAMPAIGN_STATES)[status]}</Badge>;
}

/** Says why a campaign is paused; nothing about any other. */
export function PauseReason({ status, pause_reason: reason }: Campaign): ReactElement | null {
  const texts = useTexts(PAUSE_REASONS);
  return status === 'PAUSED' && reason !== null ? <span title={texts[reason]}>{texts[reason]}</span> : null;
}
