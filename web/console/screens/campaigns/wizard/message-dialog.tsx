/** Makes one message of a campaign: its template, the values of the template, its pause, and the pipeline step that follows. */
import type { CampaignStepCreate } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { usePipelines } from '../../../records/company.ts';
import { useTexts } from '../../../texts/texts.ts';
import { DelayFields } from '../../../ui/delay-fields.tsx';
import { readMinutes, toDelay, UNITS, type Delay } from '../../../ui/delay.ts';
import { SelectField } from '../../../ui/field.tsx';
import { FieldGrid } from '../../../ui/field-grid.tsx';
import { GivenTemplateDialog } from '../../../ui/templates/given-template-dialog.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { WIZARD } from './texts.ts';

interface MessageDialogProps {
  inbox: string;
  /** Null makes a new message. */
  step: CampaignStepCreate | null;
  index: number;
  onApply(step: CampaignStepCreate): void;
  onClose(): void;
}

export function MessageDialog({ inbox, step, index, onApply, onClose }: MessageDialogProps): ReactElement {
  const texts = useTexts(WIZARD);
  // A message that follows another one begins with a pause of a day.
  const [delay, setDelay] = useState(() => toDelay(step?.delay_minutes ?? (index === 0 ? 0 : UNITS.day)));
  const [target, setTarget] = useState(step?.funnel_step ?? '');
  const minutes = readMinutes(delay);
  return (
    <GivenTemplateDialog
      title={texts.message(index + 1)}
      inbox={inbox}
      given={step?.template ?? null}
      hasColumns
      isReady={minutes >= 0}
      onApply={(template) => onApply({ delay_minutes: minutes, template, funnel_step: target || null })}
      onClose={onClose}
    >
      <PlaceFields {...{ index, delay, target }} onDelay={setDelay} onTarget={setTarget} />
    </GivenTemplateDialog>
  );
}

interface PlaceFieldsProps {
  index: number;
  /** When the message leaves. */
  delay: Delay;
  /** The id of the pipeline step to which its conversation moves; "" for none. */
  target: string;
  onDelay(delay: Delay): void;
  onTarget(target: string): void;
}

function PlaceFields({ index, delay, target, onDelay, onTarget }: PlaceFieldsProps): ReactElement {
  const texts = useTexts(WIZARD);
  const common = useTexts(COMMON);
  const targets = usePipelines().flatMap(({ name, steps }) =>
    steps.map((step) => ({ value: step._id, label: `${name} · ${step.name}` })),
  );
  return (
    <FieldGrid>
      <DelayFields label={index === 0 ? texts.delayOfFirst : texts.delay} delay={delay} onChange={onDelay} />
      <SelectField<string>
        label={texts.target}
        value={target}
        options={[{ value: '', label: common.none }, ...targets]}
        onChange={onTarget}
      />
    </FieldGrid>
  );
}
