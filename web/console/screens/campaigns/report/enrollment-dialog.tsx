/** What became of one contact of a campaign, with the ways to its conversation and its record. */
import type { Campaign, CampaignEnrollment } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { parley, toScreen } from '../../../client.ts';
import { showEnrollment } from '../../../records/campaigns.ts';
import { nameContact, useContact } from '../../../records/contacts.ts';
import { useMay } from '../../../session/session.ts';
import { formatMoment } from '../../../texts/formats.ts';
import { useExplainFailure } from '../../../texts/failures.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { Details, type Detail } from '../../../ui/details.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { SKIP_REASONS } from '../texts.ts';
import styles from './report.module.css';
import { useEnrollmentStates } from './enrollment-states.ts';
import { REPORT } from './texts.ts';

interface EnrollmentDialogProps {
  campaign: Campaign;
  enrollment: CampaignEnrollment;
  onClose(): void;
}

export function EnrollmentDialog({ campaign, enrollment, onClose }: EnrollmentDialogProps): ReactElement {
  const texts = useTexts(REPORT);
  const common = useTexts(COMMON);
  const mayCancel = useMay('campaign-enrollments:update');
  const { data: contact } = useContact(enrollment.contact ?? '');
  const details = useDetails(campaign, enrollment);
  const cancel = useMutation({
    mutationFn: () => parley.campaignEnrollments.cancel(enrollment._id),
    onSuccess: (changed) => {
      showEnrollment(changed);
      onClose();
    },
  });
  return (
    <Dialog
      title={contact ? nameContact(contact) : texts.erased}
      onClose={onClose}
      actions={
        <>
          {mayCancel && enrollment.completed_at === null && (
            <ConfirmButton
              label={texts.cancelOne}
              question={texts.reallyCancelOne}
              icon="stop"
              isBusy={cancel.isPending}
              onConfirm={() => cancel.mutate()}
            />
          )}
          <Button onClick={onClose}>{common.close}</Button>
        </>
      }
    >
      <FormProblem error={cancel.error} fields={[]} />
      <Details layout="lines" items={details} />
      <p className={styles['links']}>
        {enrollment.conversation !== null && (
          <Link href={toScreen(`/inbox/all/${enrollment.conversation}`)}>{texts.toConversation}</Link>
        )}
        {contact && <Link href={toScreen(`/contacts/${contact._id}`)}>{texts.toContact}</Link>}
      </p>
    </Dialog>
  );
}

const TIMES = ['sent_at', 'delivered_at', 'read_at', 'replied_at', 'failed_at', 'next_run_at'] as const;

function useDetails(campaign: Campaign, enrollment: CampaignEnrollment): Detail[] {
  const texts = useTexts(REPORT);
  const states = useEnrollmentStates(campaign);
  const reasons = useTexts(SKIP_REASONS);
  const explain = useExplainFailure();
  const { status, skip_reason, failure_reason, current_step } = enrollment;
  return [
    [texts.state, states[status]],
    skip_reason !== null && [texts.cause, reasons[skip_reason]],
    failure_reason !== null && [texts.cause, explain(failure_reason)],
    [texts.stepTitle, current_step + 1],
    ...TIMES.map((key): Detail => {
      const at = enrollment[key];
      return at !== null && [texts[key], formatMoment(at)];
    }),
  ];
}
