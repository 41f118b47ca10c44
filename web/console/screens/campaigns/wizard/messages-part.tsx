/** What the campaign says: one message, or several with pauses between them. */
import type { CampaignStepCreate, Template } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { usePipelines } from '../../../records/company.ts';
import { formatDuration } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { splitDelay } from '../../../ui/delay.ts';
import { explainField } from '../../../ui/problem.ts';
import { useContactValues } from '../../../ui/templates/contact-values.ts';
import { PhonePreview } from '../../../ui/templates/phone-preview.tsx';
import { useApprovedTemplates } from '../../../ui/templates/template-choice.tsx';
import { isSameTemplate, readComponents } from '../../../ui/templates/template-values.ts';
import { TEMPLATE_FORMS } from '../../../ui/templates/texts.ts';
import { COMMON } from '../../../ui/texts.ts';
import { FirstMessages } from './first-messages.tsx';
import { MessageDialog } from './message-dialog.tsx';
import { listSteps, MOST_STEPS } from './steps.ts';
import { WIZARD } from './texts.ts';
import type { PartProps } from './parts.ts';
import { TestButton } from './test-dialog.tsx';
import styles from './wizard.module.css';

export function MessagesPart({ stored, shown, kept }: PartProps): ReactElement {
  const texts = useTexts(WIZARD);
  const forms = useTexts(TEMPLATE_FORMS);
  const steps = listSteps(shown);
  /** The place of the message that is changed; the place behind the last one is a new message. */
  const [edited, edit] = useState<number | null>(null);
  const set = (next: CampaignStepCreate[]): void => {
    kept.change({ steps: next });
    // The steps are shown in the form of the API, and a preview follows what is stored.
    void kept.save();
  };
  const apply = (step: CampaignStepCreate): void => {
    set(edited === null || edited === steps.length ? [...steps, step] : steps.with(edited, step));
    edit(null);
  };
  return (
    <>
      {steps.length === 0 && <p className={styles['note']}>{texts.noMessage}</p>}
      <ol className={styles['list']}>
        {steps.map((step, index) => (
          <MessageCard
            key={`${index} ${step.template.name}`}
            {...{ step, index }}
            inbox={shown.inbox}
            error={explainField(kept.error, `steps[${index}]`)}
            onEdit={() => edit(index)}
            onRemove={() => set(steps.toSpliced(index, 1))}
          />
        ))}
      </ol>
      {steps.length < MOST_STEPS && (
        <div>
          <Button icon="plus" onClick={() => edit(steps.length)}>
            {steps.length === 0 ? forms.chooseTemplate : texts.addMessage}
          </Button>
        </div>
      )}
      {steps.length > 1 && (
        <CheckField
          label={texts.stopOnReply}
          checked={shown.stop_on_reply}
          onChange={(stop_on_reply) => kept.change({ stop_on_reply })}
        />
      )}
      <FirstMessages campaign={stored} />
      {edited !== null && (
        <MessageDialog
          inbox={shown.inbox}
          step={steps[edited] ?? null}
          index={edited}
          onApply={apply}
          onClose={() => edit(null)}
        />
      )}
    </>
  );
}

interface MessageCardProps {
  step: CampaignStepCreate;
  index: number;
  inbox: string;
  /** Why the message is not stored. */
  error: string | null;
  onEdit(): void;
  onRemove(): void;
}

function MessageCard({ step, index, inbox, error, onEdit, onRemove }: MessageCardProps): ReactElement {
  const texts = useTexts(WIZARD);
  const common = useTexts(COMMON);
  const { data: templates = [] } = useApprovedTemplates(inbox);
  const template = templates.find((each) => isSameTemplate(each, step.template));
  const title = texts.message(index + 1);
  return (
    <li className={styles['card']}>
      <header className={styles['head']}>
        <strong>
          {title}: {step.template.name} · {step.template.language}
        </strong>
        {template && <TestButton inbox={inbox} template={step.template} title={title} />}
        <IconButton icon="edit" label={`${common.edit}: ${title}`} onClick={onEdit} />
        <IconButton icon="remove" label={`${common.remove}: ${title}`} onClick={onRemove} />
      </header>
      {error !== null && (
        <p className={styles['warning']} role="alert">
          {error}
        </p>
      )}
      <StepFacts step={step} index={index} />
      {template && <StepText template={template} step={step} />}
    </li>
  );
}

/** When the message leaves, and where its conversation moves. */
function StepFacts({ step, index }: { step: CampaignStepCreate; index: number }): ReactElement {
  const texts = useTexts(WIZARD);
  const { count, unit } = splitDelay(step.delay_minutes ?? 0);
  const target = usePipelines()
    .flatMap(({ steps }) => steps)
    .find(({ _id }) => _id === step.funnel_step);
  const facts = [
    count > 0 && (index === 0 ? texts.afterStart : texts.afterBefore)(formatDuration(count, unit)),
    target && texts.movesTo(target.name),
  ].filter(Boolean);
  return <p className={styles['note']}>{facts.join(' · ')}</p>;
}

function StepText({ template, step }: { template: Template; step: CampaignStepCreate }): ReactElement {
  const fields = useContactValues();
  const values = readComponents(template, step.template.components ?? []);
  return <PhonePreview {...{ template, values, fields }} />;
}
