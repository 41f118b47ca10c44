/** The campaigns that the contact is or was enrolled in. */
import type { CampaignEnrollment } from '@parley/sdk';
import type { ReactElement } from 'react';
import { toScreen } from '../../../../client.ts';
import { useCampaign, useCampaignsOfContact } from '../../../../records/campaigns.ts';
import { formatShort } from '../../../../texts/formats.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { ENROLLMENT_STATES } from '../../../campaigns/report/texts.ts';
import { nameLoaded, RecordLink, SectionList } from './section.tsx';
import { PANEL } from './texts.ts';

export function Campaigns({ contact }: { contact: string }): ReactElement {
  const texts = useTexts(PANEL);
  return (
    <SectionList
      feed={useCampaignsOfContact(contact)}
      empty={texts.noCampaigns}
      render={(enrollment) => <Participation enrollment={enrollment} />}
    />
  );
}

function Participation({ enrollment }: { enrollment: CampaignEnrollment }): ReactElement {
  const texts = useTexts(PANEL);
  const states = useTexts(ENROLLMENT_STATES);
  const campaign = useCampaign(enrollment.campaign);
  const { status, current_step, updatedAt } = enrollment;
  const hasSteps = campaign.data !== undefined && campaign.data.steps.length > 1;
  const facts = [states[status], hasSteps && texts.step(current_step + 1), formatShort(updatedAt)];
  return (
    <RecordLink
      href={toScreen(`/campaigns/${enrollment.campaign}`)}
      name={nameLoaded(campaign)}
      about={facts.filter(Boolean).join(' · ')}
    />
  );
}
