/** One campaign: a draft is written on; of any other, how far it is, what became of its messages, and who takes part. */
import { isParleyError, type Campaign } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useCampaign, useCampaignNumbers } from '../../../records/campaigns.ts';
import { useInboxes } from '../../../records/company.ts';
import { useMay } from '../../../session/session.ts';
import { formatMoment } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Details } from '../../../ui/details.tsx';
import { Card, Page } from '../../../ui/page.tsx';
import { Empty, Failure, Loading } from '../../../ui/state.tsx';
import { PauseReason, StatusBadge } from '../status.tsx';
import { AudienceCount } from '../wizard/audience-count.tsx';
import { FirstMessages } from '../wizard/first-messages.tsx';
import { Wizard } from '../wizard/wizard.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { Causes } from './causes.tsx';
import { EnrollmentList } from './enrollment-list.tsx';
import { Funnel } from './funnel.tsx';
import { Progress } from './progress.tsx';
import { REPORT } from './texts.ts';
import { TimeSeries } from './time-series.tsx';

export function CampaignPage({ id }: { id: string }): ReactElement {
  const texts = useTexts(REPORT);
  const { data: campaign, error, refetch } = useCampaign(id);
  const mayChange = useMay('campaigns:update');
  if (campaign?.status === 'DRAFT' && mayChange) return <Wizard campaign={campaign} />;
  if (campaign) return <Known campaign={campaign} />;
  if (isParleyError(error) && error.code === 'NOT_FOUND') return <Empty icon="campaign" title={texts.notFound} />;
  return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
}

function Known({ campaign }: { campaign: Campaign }): ReactElement {
  const maySee = useMay('campaign-enrollments:read');
  return (
    <Page
      title={campaign.name}
      lead={
        <>
          <StatusBadge {...campaign} /> <PauseReason {...campaign} /> {campaign.description}
        </>
      }
      back="/"
      actions={<CampaignActions campaign={campaign} />}
    >
      <Numbers campaign={campaign} />
      {maySee && campaign.started_at !== null && <EnrollmentList campaign={campaign} />}
    </Page>
  );
}

function Numbers({ campaign }: { campaign: Campaign }): ReactElement {
  const texts = useTexts(REPORT);
  const { data: numbers, error, refetch } = useCampaignNumbers(campaign._id);
  const inbox = useInboxes().find(({ _id }) => _id === campaign.inbox);
  const { status, scheduled_at, started_at, completed_at } = campaign;
  if (!numbers) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <>
      <Card title={texts.progress}>
        {started_at !== null && <Progress numbers={numbers} />}
        <Details
          items={[
            [texts.inbox, inbox?.name ?? null],
            scheduled_at !== null && [texts.scheduledAt, formatMoment(scheduled_at)],
            started_at !== null && [texts.startedAt, formatMoment(started_at)],
            completed_at !== null && [texts.completedAt, formatMoment(completed_at)],
          ]}
        />
        {status === 'SCHEDULED' && <AudienceCount campaign={campaign} />}
        {status === 'SCHEDULED' && <FirstMessages campaign={campaign} />}
      </Card>
      {started_at !== null && <Funnel campaign={campaign} numbers={numbers} />}
      {numbers.series.length > 0 && <TimeSeries {...numbers} />}
      <Causes numbers={numbers} />
    </>
  );
}
