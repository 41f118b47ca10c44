/** Sends a message of the campaign to a number of the user, as a contact would get it. */
import type { GivenTemplate, TemplateComponent } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useMay } from '../../../session/session.ts';
import { keep, readKept } from '../../../store.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { explainField } from '../../../ui/problem.ts';
import { useContactValues } from '../../../ui/templates/contact-values.ts';
import { COLUMN } from '../../../ui/templates/template-values.ts';
import { COMMON } from '../../../ui/texts.ts';
import { showNotice } from '../../../ui/toast.tsx';
import { WIZARD } from './texts.ts';

const KEPT_AS = 'parley.test-number';

interface TestDialogProps {
  inbox: string;
  template: GivenTemplate;
  onClose(): void;
}

/** Offers a test of a message to those who may send. `title` names the message. */
export function TestButton({
  title,
  ...message
}: Omit<TestDialogProps, 'onClose'> & { title: string }): ReactElement | null {
  const texts = useTexts(WIZARD);
  const [isOpen, open] = useState(false);
  if (!useMay('messages:create')) return null;
  return (
    <>
      <Button icon="send" aria-label={`${texts.sendTest}: ${title}`} onClick={() => open(true)}>
        {texts.sendTest}
      </Button>
      {isOpen && <TestDialog {...message} onClose={() => open(false)} />}
    </>
  );
}

function TestDialog({ inbox, template, onClose }: TestDialogProps): ReactElement {
  const texts = useTexts(WIZARD);
  const common = useTexts(COMMON);
  const fields = useContactValues();
  const [phone, setPhone] = useState(readKept(KEPT_AS) ?? '');
  const send = useMutation({
    mutationFn: () => {
      const label = (field: string): string =>
        fields.find(({ value }) => value === field)?.label ?? field.replace(COLUMN, '');
      const components = (template.components ?? []).map((component) => fillIn(component, label));
      return parley.messages.sendTemplate({
        inboxId: inbox,
        phone: phone.trim(),
        message: { template: { ...template, components } },
      });
    },
    onSuccess: () => {
      keep(KEPT_AS, phone.trim());
      showNotice(texts.testSent);
      onClose();
    },
  });
  return (
    <Dialog
      title={texts.sendTest}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            kind="primary"
            icon="send"
            isBusy={send.isPending}
            disabled={phone.trim() === ''}
            onClick={() => send.mutate()}
          >
            {texts.sendTest}
          </Button>
        </>
      }
    >
      <FormProblem error={send.error} fields={['phone']} />
      <TextField
        label={texts.testNumber}
        hint={texts.testHint}
        type="tel"
        value={phone}
        onChange={setPhone}
        error={explainField(send.error, 'phone')}
      />
    </Dialog>
  );
}

/** Gives every value that differs from contact to contact a text: its fallback, or its name. Only contacts of a sheet have columns. */
function fillIn({ parameters, ...rest }: TemplateComponent, label: (field: string) => string): TemplateComponent {
  return {
    ...rest,
    parameters: parameters.map((parameter) => {
      const { variable_ref, ...given } = parameter;
      if (variable_ref === undefined || 'text' in given || 'value' in given)
        return variable_ref?.startsWith(COLUMN) ? given : parameter;
      const filled = { ...given, text: `[${label(variable_ref)}]` };
      return variable_ref.startsWith(COLUMN) ? filled : { ...filled, variable_ref };
    }),
  };
}
