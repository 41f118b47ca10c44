/** Makes the inbox of an account at a network. The account itself comes with the log-in, so the inbox needs only a name. */
import type { Inbox } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { showInbox } from '../../../records/inboxes.ts';
import { useTexts } from '../../../texts/texts.ts';
import { CreateDialog } from '../../../ui/create-dialog.tsx';
import { ACCOUNT } from './texts.ts';

interface NewAccountProps {
  onBack(): void;
  onCreated(inbox: Inbox): void;
  onClose(): void;
}

export function NewAccount({ onBack, onCreated, onClose }: NewAccountProps): ReactElement {
  const texts = useTexts(ACCOUNT);
  const [name, setName] = useState('');
  const mutation = useMutation({
    mutationFn: () => parley.inboxes.create({ name, channel: 'PROFESSIONAL_NETWORK' }),
    onSuccess: (inbox) => {
      showInbox(inbox);
      onCreated(inbox);
    },
  });
  return (
    <CreateDialog
      {...{ mutation, onBack, onClose }}
      title={texts.title}
      lead={texts.lead}
      create={texts.create}
      name={{ label: texts.name, hint: texts.nameHint, value: name, onChange: setName }}
    />
  );
}
