/** Makes a web chat from its name and the sites that may show it. */
import type { Inbox } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { explainField } from '../../../ui/problem.ts';
import { COMMON } from '../../../ui/texts.ts';
import { showInbox } from '../../../records/inboxes.ts';
import { readLines } from './draft.ts';
import { WEB_CHAT } from './texts.ts';

interface NewWebChatProps {
  onBack(): void;
  onCreated(inbox: Inbox): void;
  onClose(): void;
}

export function NewWebChat({ onBack, onCreated, onClose }: NewWebChatProps): ReactElement {
  const texts = useTexts(WEB_CHAT);
  const common = useTexts(COMMON);
  const [name, setName] = useState('');
  const [origins, setOrigins] = useState('');
  const create = useMutation({
    mutationFn: () =>
      parley.inboxes.create({ name, channel: 'WEB_V2', web_config: { allowed_origins: readLines(origins) } }),
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
      <FormProblem error={error} fields={['name', 'web_config.allowed_origins']} />
      <TextField label={texts.name} value={name} onChange={setName} error={explainField(error, 'name')} />
      <TextArea
        label={texts.origins}
        hint={texts.originsHint}
        value={origins}
        onChange={setOrigins}
        error={explainField(error, 'web_config.allowed_origins')}
      />
    </Dialog>
  );
}
