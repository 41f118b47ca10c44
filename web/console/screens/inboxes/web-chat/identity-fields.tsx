/** How the site proves who its visitor is. A new secret is shown once. */
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { explainField } from '../../../ui/problem.ts';
import styles from '../inboxes.module.css';
import { makeSecret, type WebDraftProps } from './draft.ts';
import { WEB_CHAT } from './texts.ts';

interface IdentityFieldsProps extends WebDraftProps {
  /** The secret that was made here; null when none was. */
  secret: string | null;
  onSecret(secret: string): void;
}

export function IdentityFields({ draft, change, error, secret, onSecret }: IdentityFieldsProps): ReactElement {
  const texts = useTexts(WEB_CHAT);
  return (
    <>
      {secret !== null && <CopyField label={texts.secret} value={secret} hint={texts.secretHint} />}
      {secret === null && draft.identity_secret !== null && <p className={styles['hint']}>{texts.secretKept}</p>}
      <div>
        <Button icon="key" onClick={() => onSecret(makeSecret())}>
          {texts.makeSecret}
        </Button>
      </div>
      <CheckField
        label={texts.identityRequired}
        checked={draft.identity_required}
        onChange={(identity_required) => change({ identity_required })}
        error={explainField(error, 'web_config.identity_secret')}
      />
    </>
  );
}
