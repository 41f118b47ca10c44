/** The messages of a campaign as the wizard holds them. */
import type { Campaign, CampaignStepCreate } from '@parley/sdk';

/** As many as the API takes. */
export const MOST_STEPS = 10;

export const listSteps = ({ steps }: Campaign): CampaignStepCreate[] =>
  steps.map(({ delay_minutes, template, funnel_step }) => ({ delay_minutes, template, funnel_step }));
