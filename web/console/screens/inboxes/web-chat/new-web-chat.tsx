/** Makes a web chat from its name and the sites that may show it. */
import type { Inbox } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { showInbox } from '../../../records/inboxes.ts';
import { useTexts } from '../../../texts/texts.ts';
import { CreateDialog } from '../../../ui/create-dialog.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { explainField } from '../../../ui/problem.ts';
import { readLines } from './draft.ts';
import { WEB_CHAT } from './texts.ts';

interface NewWebChatProps {
  onBack(): void;
  onCreated(inbox: Inbox): void;
  onClose(): void;
}

const ORIGINS = 'web_config.allowed_origins';

export function NewWebChat({ onBack, onCreated, onClose }: NewWebChatProps): ReactElement {
  const texts = useTexts(WEB_CHAT);
  const [name, setName] = useState('');
  const [origins, setOrigins] = useState('');
  const mutation = useMutation({
    mutationFn: () =>
      parley.inboxes.create({ name, channel: 'WEB_V2', web_config: { allowed_origins: readLines(origins) } }),
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
      name={{ label: texts.name, value: name, onChange: setName }}
      fields={[ORIGINS]}
    >
      <TextArea
        label={texts.origins}
        hint={texts.originsHint}
        value={origins}
        onChange={setOrigins}
        error={explainField(mutation.error, ORIGINS)}
      />
    </CreateDialog>
  );
}
