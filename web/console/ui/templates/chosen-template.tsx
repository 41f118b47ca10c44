/** A template with its values that a form has chosen, for example for a follow-up or a macro. */
import type { GivenTemplate } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../button.tsx';
import { SelectField } from '../field.tsx';
import { GivenTemplateDialog } from './given-template-dialog.tsx';
import { useTemplateInboxes } from './template-inboxes.ts';
import { COMMON } from '../texts.ts';
import styles from './templates.module.css';
import { TEMPLATE_FORMS } from './texts.ts';

interface ChosenTemplateProps {
  /** What the template is for. */
  name: string;
  template: GivenTemplate | null;
  /** What is said about the template, or about there being none. */
  words: string;
  isLocked: boolean;
  onChange(template: GivenTemplate | null): void;
}

export function ChosenTemplate({
  name,
  template,
  words,
  isLocked,
  onChange,
}: ChosenTemplateProps): ReactElement | null {
  const texts = useTexts(TEMPLATE_FORMS);
  const common = useTexts(COMMON);
  const [isOpen, open] = useState(false);
  const [chosen, choose] = useState<string | null>(null);
  const inboxes = useTemplateInboxes();
  const inbox = chosen ?? inboxes[0]?.value;
  if (inbox === undefined && template === null) return null;
  const mayChange = !isLocked && inbox !== undefined;
  return (
    <div className={styles['chosen']}>
      <p>{words}</p>
      {mayChange && template === null && (
        <Button icon="template" onClick={() => open(true)}>
          {texts.chooseTemplate}
        </Button>
      )}
      {mayChange && template !== null && (
        <IconButton icon="edit" label={`${common.edit}: ${template.name}`} onClick={() => open(true)} />
      )}
      {!isLocked && template !== null && (
        <IconButton icon="remove" label={`${common.remove}: ${template.name}`} onClick={() => onChange(null)} />
      )}
      {isOpen && inbox !== undefined && (
        <GivenTemplateDialog
          key={inbox}
          title={name}
          inbox={inbox}
          given={template}
          hasColumns={false}
          above={
            inboxes.length > 1 && (
              <SelectField<string> label={texts.templatesOf} value={inbox} options={inboxes} onChange={choose} />
            )
          }
          onApply={(given) => {
            onChange(given);
            open(false);
          }}
          onClose={() => open(false)}
        />
      )}
    </div>
  );
}
