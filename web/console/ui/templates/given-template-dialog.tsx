/** Chooses a template and takes its values, which may be fields of each contact. */
import type { GivenTemplate, Template } from '@parley/sdk';
import { useState, type ReactElement, type ReactNode } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { COMMON } from '../texts.ts';
import { useContactValues } from './contact-values.ts';
import { MessageValue } from './message-value.tsx';
import { PhonePreview } from './phone-preview.tsx';
import { TemplateChoice, useApprovedTemplates } from './template-choice.tsx';
import { isSameTemplate, isWhole, keyOf, listAsked, readComponents, toComponents } from './template-values.ts';
import { TEMPLATE_FORMS } from './texts.ts';

interface GivenTemplateDialogProps {
  title: string;
  inbox: string;
  /** Null chooses a template first. */
  given: GivenTemplate | null;
  hasColumns: boolean;
  /** What stands above the templates to choose from. */
  above?: ReactNode;
  /** What else belongs to the message, below its values; it may be wrong. */
  children?: ReactNode;
  isReady?: boolean;
  onApply(given: GivenTemplate): void;
  onClose(): void;
}

export function GivenTemplateDialog(props: GivenTemplateDialogProps): ReactElement {
  const { inbox, given, above, onClose } = props;
  const texts = useTexts(TEMPLATE_FORMS);
  const { data: templates } = useApprovedTemplates(inbox);
  const [chosen, choose] = useState<Template | 'ANOTHER' | null>(null);
  const stored = given && templates?.find((each) => isSameTemplate(each, given));
  const template = chosen === 'ANOTHER' ? null : (chosen ?? stored);
  return template ? (
    <ValuesDialog key={template._id} {...props} template={template} onBack={() => choose('ANOTHER')} />
  ) : (
    <Dialog title={texts.chooseTemplate} onClose={onClose}>
      {above}
      <TemplateChoice inbox={inbox} onChoose={choose} />
    </Dialog>
  );
}

interface ValuesDialogProps extends GivenTemplateDialogProps {
  template: Template;
  onBack(): void;
}

function ValuesDialog(props: ValuesDialogProps): ReactElement {
  const { title, template, given, hasColumns, children, isReady = true, onApply, onClose, onBack } = props;
  const texts = useTexts(TEMPLATE_FORMS);
  const common = useTexts(COMMON);
  const fields = useContactValues();
  const [values, setValues] = useState(() => readComponents(template, given?.components ?? []));
  const { name, language } = template;
  return (
    <Dialog
      title={`${title}: ${name}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onBack}>{texts.anotherTemplate}</Button>
          <Button
            kind="primary"
            disabled={!isWhole(template, values) || !isReady}
            onClick={() => onApply({ name, language, components: toComponents(template, values) })}
          >
            {common.save}
          </Button>
        </>
      }
    >
      {listAsked(template).map((parameter) => (
        <MessageValue
          key={keyOf(parameter)}
          {...{ parameter, fields, hasColumns }}
          value={values.get(keyOf(parameter))}
          onChange={(value) => setValues(new Map(values).set(keyOf(parameter), value))}
        />
      ))}
      <PhonePreview {...{ template, values, fields }} />
      {children}
    </Dialog>
  );
}
