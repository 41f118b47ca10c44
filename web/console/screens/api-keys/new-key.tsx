/** Makes a key, and shows its token this once. */
import type { ApiKeyMade } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import styles from './api-keys.module.css';
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
  const common = useTexts(COMMON);
  const [name, setName] = useState('');
  const [expires_at, setExpiry] = useState<string | null>(null);
  const [rights, setRights] = useState<ReadonlySet<Right>>(new Set());
  const create = useMutation({
    mutationFn: () => parley.apiKeys.create({ name, type: 'company', scopes: toScopes(rights), expires_at }),
    onSuccess: onMade,
  });
  if (create.data) return <MadeKey made={create.data} onClose={onClose} />;
  const { error } = create;
  const rightsFault = explainField(error, 'scopes');
  return (
    <Dialog
      title={texts.createKey}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" isBusy={create.isPending} onClick={() => create.mutate()}>
            {texts.createKey}
          </Button>
        </>
      }
    >
      <FormProblem error={error} fields={['name', 'expires_at', 'scopes']} />
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        value={name}
        onChange={setName}
        error={explainField(error, 'name')}
      />
      <ExpiryField onChange={setExpiry} error={explainField(error, 'expires_at')} />
      <RightsField
        rights={rights}
        onChange={setRights}
        error={rightsFault && rights.size === 0 ? texts.chooseRight : rightsFault}
      />
    </Dialog>
  );
}

function MadeKey({ made, onClose }: { made: ApiKeyMade; onClose(): void }): ReactElement {
  const texts = useTexts(API_KEYS);
  return (
    <Dialog
      title={texts.keyMade}
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
      {made.token !== null && <CopyField label={texts.token} value={made.token} hint={texts.tokenUse} />}
    </Dialog>
  );
}
