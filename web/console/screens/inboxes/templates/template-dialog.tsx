/** One template: what the contact reads, what it takes, what the network says, and its removal. */
import type { Template, TemplateParameter } from '@parley/sdk';
import type { ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Details } from '../../../ui/details.tsx';
import { RemoveButton } from '../../../ui/remove-button.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { forgetTemplates } from './template-feed.ts';
import { useTemplateWords } from './template-words.ts';
import styles from './templates.module.css';
import { TEMPLATES } from './texts.ts';

interface TemplateDialogProps {
  inbox: string;
  template: Template;
  /** Whether the user may remove it. */
  may: boolean;
  onClose(): void;
}

export function TemplateDialog({ inbox, template, may, onClose }: TemplateDialogProps): ReactElement {
  const texts = useTexts(TEMPLATES);
  const common = useTexts(COMMON);
  const translate = useTemplateWords();
  return (
    <Dialog
      title={template.name}
      onClose={onClose}
      actions={
        <>
          {may && (
            <RemoveButton
              confirmation={texts.reallyRemove}
              remove={() => parley.templates.delete(inbox, template.name)}
              onRemoved={() => {
                forgetTemplates(template.name, inbox);
                onClose();
              }}
            />
          )}
          <Button onClick={onClose}>{common.close}</Button>
        </>
      }
    >
      <TemplateFacts template={template} />
      <h3>{texts.preview}</h3>
      <div className={styles['preview']}>
        {template.components
          .flatMap((component) => listTexts(component, translate))
          .map((text, place) => (
            // The texts of a template do not change while it is shown.
            <p key={place}>{text}</p>
          ))}
      </div>
    </Dialog>
  );
}

function TemplateFacts({ template }: { template: Template }): ReactElement {
  const texts = useTexts(TEMPLATES);
  const translate = useTemplateWords();
  const { status, rejected_reason, unsupported, quality, category, language, parameters } = template;
  return (
    <Details
      layout="lines"
      items={[
        [texts.status, translate(status)],
        rejected_reason !== null && [texts.reason, rejected_reason],
        unsupported !== null && [texts.unsupported, unsupported],
        quality !== null && [texts.quality, translate(quality)],
        [texts.category, translate(category)],
        [texts.language, language],
        parameters.length > 0 && [texts.parameters, <ParameterList parameters={parameters} />],
      ]}
    />
  );
}

function ParameterList({ parameters }: { parameters: readonly TemplateParameter[] }): ReactElement {
  const texts = useTexts(TEMPLATES);
  const translate = useTemplateWords();
  return (
    <ul>
      {parameters.map(({ component, card, index, name, position, type, example }) => (
        <li key={`${component} ${card} ${index} ${position}`}>
          {translate(component)} {index === null ? `{{${name ?? position}}}` : index + 1}: {translate(type)}
          {example !== null && ` (${texts.forExample(example)})`}
        </li>
      ))}
    </ul>
  );
}

/** Returns the texts that a component shows: its own, or what it shows instead of one, and the labels of its buttons. */
function listTexts({ text, buttons, format }: Record<string, unknown>, translate: (word: string) => string): string[] {
  const labels = Array.isArray(buttons) ? buttons.map((button: Record<string, unknown>) => button['text']) : [];
  const shown = labels.filter((label) => typeof label === 'string').map((label) => `[ ${label} ]`);
  if (typeof text === 'string') return [text, ...shown];
  return typeof format === 'string' ? [`(${translate(format)})`, ...shown] : shown;
}
