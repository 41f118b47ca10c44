/** The contacts that take part in a campaign, and how far each of them is. */
import type { Campaign, CampaignEnrollment } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useEnrollments } from '../../../records/campaigns.ts';
import { nameContact, useContact } from '../../../records/contacts.ts';
import { useMay } from '../../../session/session.ts';
import { formatListed } from '../../../texts/formats.ts';
import { useExplainFailure } from '../../../texts/failures.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Card } from '../../../ui/page.tsx';
import { RecordList, type Column } from '../../../ui/record-list.tsx';
import { Empty } from '../../../ui/state.tsx';
import { SheetDialog } from '../sheet-dialog.tsx';
import { CAMPAIGN_SHEETS, SKIP_REASONS } from '../texts.ts';
import { EnrollmentDialog } from './enrollment-dialog.tsx';
import { useEnrollmentStates } from './enrollment-states.ts';
import { ExportButton } from './export-button.tsx';
import styles from './report.module.css';
import { REPORT } from './texts.ts';

type Status = CampaignEnrollment['status'];

const TONES: Record<Status, Tone> = {
  PENDING: 'plain',
  SENT: 'plain',
  DELIVERED: 'good',
  READ: 'good',
  REPLIED: 'good',
  COMPLETED: 'good',
  FAILED: 'danger',
  SKIPPED: 'warning',
  CANCELLED: 'plain',
};
/** Contacts can be added to these; a completed campaign runs again then. */
const OPEN: readonly Campaign['status'][] = ['SCHEDULED', 'RUNNING', 'PAUSED', 'COMPLETED'];
const STATUSES = Object.keys(TONES) as Status[];

export function EnrollmentList({ campaign }: { campaign: Campaign }): ReactElement {
  const texts = useTexts(REPORT);
  const states = useEnrollmentStates(campaign);
  const [status, choose] = useState<Status | null>(null);
  const sheets = useTexts(CAMPAIGN_SHEETS);
  const mayAdd = useMay('campaign-enrollments:create');
  const mayExport = useMay('contacts:read');
  const [isAdding, setAdding] = useState(false);
  const [opened, open] = useState<CampaignEnrollment | null>(null);
  const feed = useEnrollments(campaign._id, status);
  const columns = useColumns(campaign);
  const options = [
    { value: '', label: texts.allStates },
    ...STATUSES.map((value) => ({ value, label: states[value] })),
  ];
  return (
    <Card title={texts.contacts}>
      <div className={styles['tools']}>
        <SelectField<string>
          label={texts.state}
          value={status ?? ''}
          options={options}
          onChange={(value) => choose(STATUSES.find((each) => each === value) ?? null)}
        />
        <Button icon="refresh" onClick={feed.reread}>
          {texts.refresh}
        </Button>
        {mayAdd && OPEN.includes(campaign.status) && (
          <Button icon="upload" onClick={() => setAdding(true)}>
            {sheets.addSheet}
          </Button>
        )}
        {mayExport && <ExportButton campaign={campaign._id} content="ENROLLMENTS" />}
      </div>
      <div className={styles['list']}>
        <RecordList
          label={texts.contacts}
          feed={feed}
          columns={columns}
          empty={<Empty icon="contacts" title={texts.nobody} />}
          onOpen={open}
        />
      </div>
      {isAdding && <SheetDialog campaign={campaign._id} onClose={() => setAdding(false)} />}
      {opened && <EnrollmentDialog campaign={campaign} enrollment={opened} onClose={() => open(null)} />}
    </Card>
  );
}

function useColumns(campaign: Campaign): Column<CampaignEnrollment>[] {
  const texts = useTexts(REPORT);
  const states = useEnrollmentStates(campaign);
  const reasons = useTexts(SKIP_REASONS);
  const explain = useExplainFailure();
  const step: Column<CampaignEnrollment> = {
    key: 'step',
    title: texts.stepTitle,
    width: '70px',
    isSecondary: true,
    render: ({ current_step }) => current_step + 1,
  };
  return [
    {
      key: 'contact',
      title: texts.contact,
      width: 'minmax(130px, 1.5fr)',
      render: ({ contact }) => <ContactName id={contact} />,
    },
    {
      key: 'status',
      title: texts.state,
      width: '120px',
      render: ({ status }) => <Badge tone={TONES[status]}>{states[status]}</Badge>,
    },
    {
      key: 'cause',
      title: texts.cause,
      width: 'minmax(120px, 2fr)',
      isSecondary: true,
      render: ({ skip_reason, failure_reason }) =>
        skip_reason ? reasons[skip_reason] : failure_reason && explain(failure_reason),
    },
    ...(campaign.steps.length > 1 ? [step] : []),
    {
      key: 'changed',
      title: texts.changedAt,
      width: '150px',
      isSecondary: true,
      render: ({ updatedAt }) => formatListed(updatedAt),
    },
  ];
}

function ContactName({ id }: { id: string | null }): ReactElement {
  const texts = useTexts(REPORT);
  const { data: contact } = useContact(id ?? '');
  if (id === null || contact === null) return <>{texts.erased}</>;
  return <>{contact ? nameContact(contact) : '…'}</>;
}
