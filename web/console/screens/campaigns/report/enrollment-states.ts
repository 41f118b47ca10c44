/** The states of those who take part in a campaign, in words. */
import type { Campaign, CampaignEnrollment } from '@parley/sdk';
import { useTexts } from '../../../texts/texts.ts';
import { isOver } from './parts.ts';
import { ENROLLMENT_STATES, REPORT } from './texts.ts';

/** Nobody waits in a campaign that is over. */
export function useEnrollmentStates({ status }: Campaign): Readonly<Record<CampaignEnrollment['status'], string>> {
  const states = useTexts(ENROLLMENT_STATES);
  const { unknown } = useTexts(REPORT);
  return isOver(status) ? { ...states, PENDING: unknown } : states;
}
