/** One template: what the contact reads, what it takes, what the network says, its other languages, its change, its copy and its removal. */
import type { Template, TemplateParameter } from '@parley/sdk';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Details } from '../../ui/details.tsx';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { PhonePreview } from '../../ui/templates/phone-preview.tsx';
import { COMMON } from '../../ui/texts.ts';
import { fitsForm } from './template-draft.ts';
import { forgetTemplates } from './template-feed.ts';
import { useTemplateWords } from '../../ui/templates/template-words.ts';
import styles from './templates.module.css';
import { TEMPLATES } from './texts.ts';

interface TemplatePaneProps {
  inbox: string;
  template: Template;
  /** The templates of the list, in which its other languages are. */
  all: readonly Template[];
  /** Whether the user may submit, change and remove templates. */
  may: boolean;
  /** Gets "" to close it. */
  onChoose(id: string): void;
  /** Changes it, or copies it. */
  onWrite(isEdit: boolean): void;
}

export function TemplatePane({ inbox, template, all, may, onChoose, onWrite }: TemplatePaneProps): ReactElement {
  const texts = useTexts(TEMPLATES);
  const common = useTexts(COMMON);
  const { name } = template;
  const languages = all.filter((each) => each.name === name);
  const mayEdit = may && template.editable && fitsForm(template);
  return (
    <aside className={styles['pane']} aria-label={name}>
      <header className={styles['head']}>
        <h2>{name}</h2>
        <IconButton icon="close" label={common.close} onClick={() => onChoose('')} />
      </header>
      {languages.length > 1 && (
        <div className={styles['languages']} role="group" aria-label={texts.language}>
          {languages.map(({ _id, language }) => (
            <Button key={_id} aria-pressed={_id === template._id} onClick={() => onChoose(_id)}>
              {language}
            </Button>
          ))}
        </div>
      )}
      <Verdict template={template} mayEdit={mayEdit} />
      <PhonePreview template={template} />
      <TemplateFacts template={template} />
      {may && (
        <div className={styles['actions']}>
          {mayEdit && (
            <Button icon="edit" onClick={() => onWrite(true)}>
              {texts.edit}
            </Button>
          )}
          <Button icon="copy" onClick={() => onWrite(false)}>
            {texts.copy}
          </Button>
          <RemoveButton
            confirmation={texts.reallyRemove}
            remove={() => parley.templates.delete(inbox, name)}
            onRemoved={() => forgetTemplates(name, inbox)}
          />
        </div>
      )}
    </aside>
  );
}

interface VerdictProps {
  template: Template;
  mayEdit: boolean;
}

/** Why it cannot be sent, and what to do about it. */
function Verdict({ template: { rejected_reason, unsupported }, mayEdit }: VerdictProps): ReactElement | null {
  const texts = useTexts(TEMPLATES);
  if (rejected_reason !== null)
    return (
      <p className={styles['rejected']}>
        <strong>{texts.rejected(rejected_reason)}</strong> {mayEdit ? texts.correct : texts.remedy}
      </p>
    );
  return unsupported === null ? null : <p className={styles['fault']}>{texts.unsupported(unsupported)}</p>;
}

function TemplateFacts({ template }: { template: Template }): ReactElement {
  const texts = useTexts(TEMPLATES);
  const translate = useTemplateWords();
  const { status, quality, category, language, parameters } = template;
  return (
    <Details
      layout="lines"
      items={[
        [texts.status, translate(status)],
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
