/** Changes the connection of an inbox, and shows whether the network accepts the change. */
import type { Inbox } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ChannelForm } from './channel-form.tsx';
import { ConnectionCheck } from './connection-check.tsx';
import { CREDENTIALS, INBOXES } from './texts.ts';

interface ChangeCredentialsProps {
  inbox: Inbox;
  onClose(): void;
}

export function ChangeCredentials({ inbox, onClose }: ChangeCredentialsProps): ReactElement {
  const texts = useTexts(INBOXES);
  const credentials = useTexts(CREDENTIALS);
  const [isSaved, markSaved] = useState(false);
  if (!isSaved) {
    const { channel } = inbox;
    const onSaved = (): void => markSaved(true);
    return <ChannelForm {...{ channel, inbox, onSaved, onClose }} title={credentials.title} />;
  }
  return (
    <Dialog
      title={texts.connection}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => markSaved(false)}>{texts.changeCredentials}</Button>
          <Button kind="primary" onClick={onClose}>
            {texts.finish}
          </Button>
        </>
      }
    >
      <ConnectionCheck id={inbox._id} />
    </Dialog>
  );
}
