/** Chooses a template, takes its values, shows what the contact will read, and sends it. */
import type { Contact, Template, TemplateParameter } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { PhonePreview } from '../../../ui/templates/phone-preview.tsx';
import { TemplateChoice } from '../../../ui/templates/template-choice.tsx';
import {
  isWhole,
  keyOf,
  listAsked,
  toComponents,
  writeOut,
  type GivenValue,
} from '../../../ui/templates/template-values.ts';
import { ValueField } from '../../../ui/templates/value-field.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { findReturn } from '../../../frame/writing.ts';
import type { OutgoingContent } from './outbox.ts';
import { THREAD } from './texts.ts';

interface TemplateDialogProps {
  inbox: string;
  contact: Contact | null;
  onSend(content: OutgoingContent): void;
  /** It is being sent. */
  isBusy?: boolean;
  /** Why it could not be sent. */
  error?: unknown;
  onClose(): void;
}

export function TemplateDialog(props: TemplateDialogProps): ReactElement {
  const texts = useTexts(THREAD);
  const [template, choose] = useState<Template | null>(null);
  return template === null ? (
    <Dialog title={texts.template} onClose={props.onClose} finalFocus={findReturn}>
      <TemplateChoice inbox={props.inbox} onChoose={choose} />
    </Dialog>
  ) : (
    <TemplateForm {...props} template={template} onBack={() => choose(null)} />
  );
}

interface TemplateFormProps extends TemplateDialogProps {
  template: Template;
  onBack(): void;
}

function TemplateForm(props: TemplateFormProps): ReactElement {
  const { contact, template, onSend, isBusy = false, error, onClose, onBack } = props;
  const texts = useTexts(THREAD);
  const common = useTexts(COMMON);
  const asked = listAsked(template);
  const [values, setValues] = useState(() => suggestValues(asked, contact));
  const set = (key: string, value: GivenValue): void => setValues(new Map(values).set(key, value));
  const send = (): void => {
    const { name, language } = template;
    const text = writeOut(template, values);
    const components = toComponents(template, values);
    onSend({ kind: 'TEMPLATE', text, name, language, components });
  };
  return (
    <Dialog
      title={template.name}
      onClose={onClose}
      finalFocus={findReturn}
      actions={
        <>
          <Button onClick={onBack}>{common.back}</Button>
          <Button kind="primary" icon="send" isBusy={isBusy} disabled={!isWhole(template, values)} onClick={send}>
            {texts.send}
          </Button>
        </>
      }
    >
      <FormProblem error={error} fields={[]} />
      {asked.map((parameter) => (
        <ValueField
          key={keyOf(parameter)}
          parameter={parameter}
          value={values.get(keyOf(parameter))}
          onChange={(value) => set(keyOf(parameter), value)}
        />
      ))}
      <PhonePreview {...{ template, values }} />
    </Dialog>
  );
}

/** A variable that is called like a name begins with the contact's. */
function suggestValues(asked: readonly TemplateParameter[], contact: Contact | null): ReadonlyMap<string, GivenValue> {
  const first = contact?.name?.trim().split(/\s+/)[0];
  const named = asked.filter(({ name }) => name !== null && /^(first_?name|nome|nombre|name)$/i.test(name));
  return new Map(first ? named.map((parameter) => [keyOf(parameter), { text: first }]) : []);
}
