/** The template that a follow-up sends where its text may not be sent any more. */
import type { GivenTemplate } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { GivenTemplateDialog } from '../../ui/templates/given-template-dialog.tsx';
import { useTemplateInboxes } from '../../ui/templates/template-inboxes.ts';
import { COMMON } from '../../ui/texts.ts';
import styles from './agents.module.css';
import { FOLLOW_UPS } from './follow-up-texts.ts';

interface FollowUpTemplateProps {
  /** What the follow-up is called. */
  name: string;
  template: GivenTemplate | null;
  isLocked: boolean;
  onChange(template: GivenTemplate | null): void;
}

export function FollowUpTemplate({ name, template, isLocked, onChange }: FollowUpTemplateProps): ReactElement | null {
  const texts = useTexts(FOLLOW_UPS);
  const common = useTexts(COMMON);
  const [isOpen, open] = useState(false);
  const [chosen, choose] = useState<string | null>(null);
  const inboxes = useTemplateInboxes();
  const inbox = chosen ?? inboxes[0]?.value;
  if (inbox === undefined && template === null) return null;
  const mayChange = !isLocked && inbox !== undefined;
  return (
    <div className={styles['template']}>
      <p className={styles['soft']}>{template === null ? texts.closed : texts.template(template.name)}</p>
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
              <SelectField<string> label={texts.inbox} value={inbox} options={inboxes} onChange={choose} />
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
