/** Makes the inbox of an account at a network. The account itself comes with the log-in, so the inbox needs only a name. */
import type { Inbox } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { explainField } from '../../../ui/problem.ts';
import { COMMON } from '../../../ui/texts.ts';
import { showInbox } from '../../../records/inboxes.ts';
import { ACCOUNT } from './texts.ts';

interface NewAccountProps {
  onBack(): void;
  onCreated(inbox: Inbox): void;
  onClose(): void;
}

export function NewAccount({ onBack, onCreated, onClose }: NewAccountProps): ReactElement {
  const texts = useTexts(ACCOUNT);
  const common = useTexts(COMMON);
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => parley.inboxes.create({ name, channel: 'PROFESSIONAL_NETWORK' }),
    onSuccess: (inbox) => {
      showInbox(inbox);
      onCreated(inbox);
    },
  });
  const { error } = create;
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onBack}>{common.back}</Button>
          <Button kind="primary" isBusy={create.isPending} onClick={() => create.mutate()}>
            {texts.create}
          </Button>
        </>
      }
    >
      <p>{texts.lead}</p>
      <FormProblem error={error} fields={['name']} />
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        value={name}
        onChange={setName}
        error={explainField(error, 'name')}
      />
    </Dialog>
  );
}
