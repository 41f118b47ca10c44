/** Makes a key, and shows its token this once. */
import type { ApiKeyMade } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { CreateDialog } from '../../ui/create-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { explainField } from '../../ui/problem.ts';
import styles from './api-keys.module.css';
import { ConnectAssistant } from './connect-assistant.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { RightsField } from './rights-field.tsx';
import { toScopes, type Right } from './scopes.ts';
import { API_KEYS } from './texts.ts';

interface NewKeyProps {
  onMade(key: ApiKeyMade): void;
  onClose(): void;
}

export function NewKey({ onMade, onClose }: NewKeyProps): ReactElement {
  const texts = useTexts(API_KEYS);
  const [name, setName] = useState('');
  const [expires_at, setExpiry] = useState<string | null>(null);
  const [rights, setRights] = useState<ReadonlySet<Right>>(new Set());
  const [isShort, setShort] = useState(false);
  const mutation = useMutation({
    mutationFn: () =>
      parley.apiKeys.create({
        name,
        type: 'company',
        scopes: toScopes(rights),
        expires_at,
        ...(isShort && { format: 'SHORT' }),
      }),
    onSuccess: onMade,
  });
  if (mutation.data) return <MadeKey made={mutation.data} onClose={onClose} />;
  const rightsFault = explainField(mutation.error, 'scopes');
  return (
    <CreateDialog
      {...{ mutation, onClose }}
      title={texts.createKey}
      create={texts.createKey}
      name={{ label: texts.name, hint: texts.nameHint, value: name, onChange: setName }}
      fields={['expires_at', 'scopes']}
    >
      <ExpiryField onChange={setExpiry} error={explainField(mutation.error, 'expires_at')} />
      <CheckField label={texts.shortToken} hint={texts.shortTokenHint} checked={isShort} onChange={setShort} />
      <RightsField
        rights={rights}
        onChange={setRights}
        error={rightsFault && rights.size === 0 ? texts.chooseRight : rightsFault}
      />
    </CreateDialog>
  );
}

function MadeKey({ made, onClose }: { made: ApiKeyMade; onClose(): void }): ReactElement {
  const texts = useTexts(API_KEYS);
  return (
    <Dialog
      title={texts.keyMade}
      isKept
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {texts.done}
        </Button>
      }
    >
      <p className={styles['warning']} role="alert">
        {made.token === null ? texts.tokenLost : texts.tokenOnce}
      </p>
      {made.token !== null && (
        <>
          <CopyField label={texts.token} value={made.token} hint={texts.tokenUse} />
          <ConnectAssistant token={made.token} />
        </>
      )}
    </Dialog>
  );
}
